"""Images, sound, films, pages and other files that runs log, as panels in a real browser."""
import base64
import json
import os
import subprocess
import urllib.parse

import pytest

import module_api
from browsing import faults_of, module_of, sign_in
from cluster import wait_until
from runs import Run
from screen import HOST
from table_files import png
from uploads import put

sdk = module_of("wandb/sdk.py")
PYTHON = sdk.FOLDER / sdk.NEWEST / "bin/python"
api = module_api.api
HOME = "/api/v1/projects/ann/media"
SHAS = {"sha256": "ab" * 32, "size": 100}
# What the script of a page finds out, and writes into it.
PAGE = """<p>plain</p><script>
const said = (what) => { const p = document.createElement('p'); p.textContent = what; document.body.append(p); };
said('origin ' + self.origin);
try { said('parent ' + parent.document.title); } catch (fault) { said('parent ' + fault.name); }
try { said('cookie ' + document.cookie); } catch (fault) { said('cookie ' + fault.name); }
fetch('/api/v1/session').then(() => said('answered'), () => said('refused'));
</script>"""
LOGGED = """
import sys, wave, numpy, wandb, PIL.Image
with wave.open('tone.wav', 'wb') as out:
    out.setnchannels(1); out.setsampwidth(2); out.setframerate(8000); out.writeframes(bytes(range(200)) * 80)
frames = [PIL.Image.new('P', (16, 16), at) for at in range(3)]
frames[0].save('clip.gif', save_all=True, append_images=frames[1:], duration=100)
pixels = numpy.full((20, 40, 3), 200, numpy.uint8)
mask = numpy.zeros((20, 40), numpy.uint8); mask[:, :10] = 2
box = {'position': {'minX': .25, 'maxX': .75, 'minY': .5, 'maxY': 1}, 'class_id': 1, 'box_caption': 'a car', 'scores': {'acc': .875}}
person = {'position': {'middle': [20, 10], 'width': 10, 'height': 4}, 'domain': 'pixel', 'class_id': 7}
run = wandb.init(id='sdk', project='real', entity='ann')
boxed = lambda caption: wandb.Image(pixels, caption=caption,
    boxes={'guess': {'box_data': [box, person], 'class_labels': {1: 'car', 7: 'person'}}},
    masks={'truth.a': {'mask_data': mask, 'class_labels': {0: 'sky', 2: 'road'}}})
for step in range(2):
    run.log({'val/boxed': boxed(f'at {step}'), 'loss': 1 / (step + 1)})
run.log({'list': [boxed(f'nr {at}') for at in range(3)], 'x-page': wandb.Html(sys.argv[1], inject=False),
         'tone': wandb.Audio('tone.wav', caption='a tone'), 'clip': wandb.Video('clip.gif', caption='a clip')})
open('m.pdb', 'w').write('HEADER    SMALL\\nEND\\n')
run.log({'molecule': wandb.Molecule('m.pdb'), 'points': wandb.Object3D(numpy.arange(12).reshape(4, 3))})
run.finish()
"""


def send(run, name, content):
    put(run, urllib.parse.quote(name), content)


def image(name, **more):
    return {"_type": "image-file", "path": f"media/images/{name}.png", "format": "png", "width": 40, "height": 20, **SHAS, **more}


def panel(page, key):
    return page.get_by_role("article", name=f"Chart of {key}", exact=True)


@pytest.fixture(scope="module")
def real(api, shared_place, tmp_path_factory):
    """A run of the newest wandb SDK."""
    folder = tmp_path_factory.mktemp("media")
    env = {"WANDB_BASE_URL": f"http://127.0.0.1:{api.server.port}", "WANDB_API_KEY": api.key, "WANDB_SILENT": "true", "WANDB_MODE": "online",
           "HOME": str(folder), "PATH": os.environ["PATH"], "WANDB_X_SERVICE_WAIT": "240", "WANDB_ERROR_REPORTING": "false"}
    sdk.environment(sdk.NEWEST)
    done = subprocess.run([PYTHON, "-c", LOGGED, PAGE], cwd=folder, env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr


def test_as_the_sdk_logs_them(screen, base, real):
    """Boxes and masks with a switch for each class, also of a list; a page whose scripts reach nothing; sound and a film."""
    one = screen(viewport={"width": 1440, "height": 2400})
    page = one.page
    sign_in(page, f"{base}/ann/real/runs/sdk/charts")
    boxed = panel(page, "val/boxed")
    boxed.get_by_role("img", name="at 1").wait_for()
    one.complaints.clear()  # that who is not signed in sees nothing
    boxed.locator("canvas.mask").wait_for()
    boxed.locator("rect").nth(1).wait_for()
    assert boxed.get_by_role("img", name="at 1").evaluate("one => one.decode().then(() => [one.naturalWidth, one.naturalHeight])") == [40, 20]
    boxed.get_by_text("Boxes and masks").click()
    for name in ("Boxes: guess", "car", "person", "Mask: truth.a", "sky", "road"):
        boxed.get_by_role("checkbox", name=name, exact=True).wait_for()
    assert boxed.locator("rect").evaluate_all("list => list.map((one) => one.checkVisibility())") == [True, True]
    boxed.get_by_role("checkbox", name="person").uncheck()
    assert boxed.locator("rect").evaluate_all("list => list.map((one) => one.checkVisibility())") == [True, False]
    alpha = "(one) => one.getContext('2d').getImageData(2, 2, 1, 1).data[3]"
    mask = boxed.locator("canvas.mask")
    assert mask.evaluate(alpha) > 0
    boxed.get_by_role("checkbox", name="road").uncheck()
    assert mask.evaluate(alpha) == 0
    boxed.get_by_role("checkbox", name="Mask: truth.a").uncheck()
    assert not mask.is_visible()
    boxed.get_by_text("Step 1 (2 of 2)").wait_for()
    slider = boxed.get_by_role("slider", name="Step")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    boxed.get_by_role("img", name="at 0").wait_for()
    boxed.locator("rect").nth(1).wait_for(state="attached")
    wait_until(lambda: not boxed.locator("rect").nth(1).is_visible(), what="what was switched off stays off")
    panel(page, "list").get_by_role("img", name="nr 2").wait_for()
    panel(page, "list").locator("canvas.mask").nth(2).wait_for()
    assert panel(page, "list").locator("rect").count() == 6
    page.locator("iframe").scroll_into_view_if_needed()
    frame = page.frame_locator("iframe")
    for said in ("plain", "origin null", "parent SecurityError", "cookie SecurityError", "refused"):
        frame.get_by_text(said, exact=True).wait_for()
    assert page.locator("iframe").get_attribute("sandbox") == "allow-scripts"
    page.set_viewport_size({"width": 1440, "height": 300})
    page.locator(".charts .scroll").first.evaluate("one => one.scrollTo(0, 0)")
    wait_until(lambda: page.locator("iframe").count() == 0, what="no script of a page that is not seen")
    page.set_viewport_size({"width": 1440, "height": 2400})
    frame.get_by_text("refused", exact=True).wait_for()
    tone = panel(page, "tone").locator("audio")
    tone.scroll_into_view_if_needed()
    wait_until(lambda: tone.evaluate("one => one.duration") == 1, what="a second of sound")
    panel(page, "tone").get_by_text("a tone", exact=True).wait_for()
    assert panel(page, "clip").get_by_role("img", name="a clip").evaluate("one => one.decode().then(() => one.naturalWidth)") == 16
    panel(page, "molecule").get_by_text("HEADER    SMALL").wait_for()
    panel(page, "points").get_by_role("link", name="Download").wait_for()
    assert [said for said in one.complaints if "Content Security Policy" not in said] == []
    assert faults_of(page) == []
    page.goto(page.locator("iframe").get_attribute("src"))
    page.get_by_text("plain", exact=True).wait_for()
    assert page.get_by_text("origin", exact=False).count() == 0, "no script runs outside of a frame"


@pytest.fixture(scope="module")
def runs(api, shared_place):
    """Sixty runs with an image each; the first two at three steps, and with others of its kind."""
    made = [Run(api, f"r{number:02}", HOME) for number in range(60)]
    for number, run in enumerate(made):
        run.writer = run.join("rank0")
        for step in ([0, 10, 20] if number == 0 else [5, 15] if number == 1 else [5]):
            send(run, f"media/images/{step}.png", png(40, 20, lambda x, y: (number, step, x)))
            run.writer.send(history=[{"_step": step, "loss": 1, "sample": image(step, caption=f"r{number} at {step}")}])
    return made


@pytest.fixture
def come(screen, server, api, runs, wait_for):
    def at(query="", path="/ann/media", **options):
        wait_for(lambda: api.get(f"{HOME}/runs", filter="has:summary.sample._type", count="true").json["count"] == 60, what="summaries")
        one = screen(**{"viewport": {"width": 1440, "height": 900}, **options})
        sign_in(one.page, f"http://{HOST}:{server.port}{path}{query}")
        if options.get("viewport", {}).get("width") == 390:
            one.page.get_by_role("button", name="Charts", exact=True).click()
        panel(one.page, "sample").get_by_role("img").first.wait_for()
        one.complaints.clear()
        return one
    return at


def names(page, key="sample"):
    return panel(page, key).get_by_role("img").evaluate_all("list => list.map((one) => one.alt)")


def shows(page, *captions, key="sample"):
    wait_until(lambda: set(captions) <= {name.partition(",")[0] for name in names(page, key)}, what=f"{captions} in {key}")


@pytest.mark.long
def test_a_slider_for_all_runs(come, runs):
    """Each run shows its latest value at or before the step; new ones come; the large view goes to the other runs."""
    one = come("?panels=sample&q=id%3Ar00+or+id%3Ar01")
    page = one.page
    sample = panel(page, "sample")
    shows(page, "r0 at 20", "r1 at 15")
    sample.get_by_text("Step 20 (5 of 5)").wait_for()
    assert "sample" not in page.get_by_label("x", exact=True).locator("option").all_inner_texts(), "only numbers are an x axis"
    slider = sample.get_by_role("slider", name="Step")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    shows(page, "r0 at 10", "r1 at 15")
    page.keyboard.press("ArrowLeft")
    shows(page, "r0 at 10", "r1 at 5")
    assert slider.get_attribute("aria-valuetext") == "Step 10 (3 of 5)"
    page.keyboard.press("Home")
    shows(page, "r0 at 0")
    sample.get_by_text("No value yet at this step.").wait_for()
    page.keyboard.press("End")
    shows(page, "r0 at 20", "r1 at 15")
    send(runs[1], "media/images/30.png", png(40, 20))
    runs[1].writer.send(history=[{"_step": 30, "sample": image(30, caption="r1 at 30")}])
    shows(page, "r0 at 20", "r1 at 30")
    sample.get_by_text("Step 30 (6 of 6)").wait_for()
    sample.get_by_role("button", name="Open r0 at 20").focus()
    page.keyboard.press("Enter")
    card = page.get_by_role("dialog", name="sample")
    card.get_by_role("img").wait_for()
    first = card.locator(".media-said").inner_text()
    other = "r1 at 30" if first.startswith("r0") else "r0 at 20"
    assert faults_of(page) == []
    is_last = card.get_by_role("button", name="Next run").get_attribute("aria-disabled") == "true"
    page.keyboard.press("ArrowUp" if is_last else "ArrowDown")
    card.locator(".media-said").get_by_text(other).wait_for()
    page.keyboard.press("ArrowDown" if is_last else "ArrowUp")
    card.locator(".media-said").get_by_text(first, exact=True).wait_for()
    page.keyboard.press("Escape")
    card.wait_for(state="detached")
    assert page.evaluate("document.activeElement.className") == "media-open", "the focus is where it was"
    assert faults_of(page) == [] and not one.complaints


@pytest.mark.long
def test_many_runs_load_only_what_is_seen(come):
    one = come("?panels=sample&show=all")
    page = one.page
    sample = panel(page, "sample")
    wait_until(lambda: sample.locator(".media-run").count() == 50, what="the first fifty")
    wait_until(lambda: sample.get_by_text("Loading", exact=True).count() == 0, what="all histories")
    asked = {url for url in one.asked if ".png" in url}
    assert 2 < len(asked) < 40, len(asked)
    sample.get_by_role("button", name="Show 10 more runs").click()
    wait_until(lambda: sample.locator(".media-run").count() == 60, what="all runs")
    sample.get_by_role("img").last.scroll_into_view_if_needed()
    wait_until(lambda: len({url for url in one.asked if ".png" in url}) > len(asked), what="more images")
    assert not one.complaints


@pytest.mark.long
def test_on_a_phone(come):
    one = come("?panels=sample&q=id%3Ar00+or+id%3Ar01", viewport={"width": 390, "height": 844})
    page = one.page
    shows(page, "r0 at 20")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = panel(page, "sample").get_by_role("slider").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert faults_of(page) == []


def webm(page):
    """A film that the browser makes itself."""
    return base64.b64decode(page.evaluate("""async () => {
        const canvas = document.createElement('canvas');
        const context = canvas.getContext('2d');
        [canvas.width, canvas.height] = [32, 32];
        const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm' });
        const parts = [];
        recorder.ondataavailable = ({ data }) => parts.push(data);
        const done = new Promise((resolve) => { recorder.onstop = resolve; });
        recorder.start();
        for (let at = 0; at < 10; at++) {
            context.fillRect(at, at, 8, 8);
            await new Promise((resolve) => setTimeout(resolve, 30));
        }
        recorder.stop();
        await done;
        const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
        return btoa(String.fromCharCode(...bytes));
    }"""))


@pytest.mark.long
def test_what_comes_late_or_fails(come, api, runs, server):
    """A file that is uploaded after its row; a request that fails is repeated after a pause; a plot says what it has."""
    one = come("?panels=sample&q=id%3Ar00")
    page = one.page
    made = Run(api, "late", HOME.replace("media", "late-media"))
    plot = {"data": [{"type": "scatter", "name": "größe", "x": [1, 2], "y": [3, 4]}, {"y": {"dtype": "f8", "bdata": "AAAAAAAAAAA="}}],
            "layout": {"title": {"text": "A <b>plot</b>"}}}
    send(made, "media/p.plotly.json", json.dumps(plot).encode())
    send(made, "media/film.webm", webm(page))
    file = lambda kind, path: {"_type": kind, "path": path, **SHAS}  # noqa: E731
    made.join("rank0").send(history=[{"_step": 0, "late": image("late", caption="it came"), "plot": file("plotly-file", "media/p.plotly.json"),
                                      "film": file("video-file", "media/film.webm")}])
    failed = []
    page.route("**/runs/late/history?**", lambda route: failed.append(1) or (route.fulfill(status=500) if len(failed) < 2 else route.continue_()))
    page.goto(page.url.partition("/media")[0] + "/late-media/runs/late/charts")
    panel(page, "late").get_by_text("cannot be shown. Its file may not have been uploaded yet.").wait_for()
    assert len(failed) > 1, "what failed was asked for again"
    send(made, "media/images/late.png", png(40, 20))
    panel(page, "late").get_by_role("img", name="it came").wait_for()
    panel(page, "plot").get_by_text("A plot", exact=True).wait_for()
    panel(page, "plot").get_by_text("größe: scatter, 2 points").wait_for()
    panel(page, "plot").get_by_text("scatter, 1 point", exact=True).wait_for()
    film = panel(page, "film").locator("video")
    wait_until(lambda: film.evaluate("one => one.videoWidth") == 32, what="a film")
    assert faults_of(page) == []
