"""What the build makes of .sql files, and what it refuses. AWK and EMBED_SQL come from CTest."""
import os
import re
import subprocess
import tempfile
import unittest

CASES = [
    # SQL, the statements' text or the error
    ("-- head's comment\n-- name: a\n-- why\nselect 1; -- it's\n", {"a": "select 1;\n"}),
    ("-- name: a\nselect 1\n\n-- name: b\nselect 2\n", {"a": "select 1\n", "b": "select 2\n"}),
    ("-- name: a\nselect '--', \"--\", $$--$$\n", {"a": "select '--', \"--\", $$--$$\n"}),
    ("-- name: a\nselect /* x /* y */ z */ 1\n", {"a": "select   1\n"}),
    ("-- name: a\nselect e'\\\\' || '\"'\n", {"a": "select e'\\\\' || '\"'\n"}),
    ("-- name: a\nselect '\n-- name: b\n';\n", {"a": "select '\n-- name: b\n';\n"}),
    ("-- name: a\nselect $x$\n-- kept\n\n$x$\n", {"a": "select $x$\n-- kept\n\n$x$\n"}),
    ("-- name: a\nselect $1, $2\n", {"a": "select $1, $2\n"}),
    ("-- part: p\n   a, -- why\n   b\n-- name: a\nselect\n  -- use: p\n from x;\n", {"a": "select\n   a,\n   b\n from x;\n"}),
    ("-- part: p\nb\n-- part: q\na,\n-- use: p\n-- name: a\nselect\n-- use: q\n-- name: b\nselect\n-- use: p\n",
     {"a": "select\na,\nb\n", "b": "select\nb\n"}),
    ("-- name: a\n-- ahead: worker\nselect 1\n-- name: b\nselect 2\n", {"a": "select 1\n", "b": "select 2\n"}),
    ("-- name: a\n-- ahead: both of them\nselect 1\n", "one word"),
    ("-- part: p\n-- ahead: worker\n1\n", "one word"),
    ("-- name: a\nselect '\n-- use: p\n'\n", {"a": "select '\n-- use: p\n'\n"}),
    ("-- name: a\nselect\n-- use: p\n", 'no part "p"'),
    ("-- name: a\nselect\n-- use: p\n-- part: p\n1\n", 'no part "p"'),
    ("-- part: p\n1\n-- name: a\nselect 1\n", 'nobody uses the part "p"'),
    ("-- part: p\n-- name: a\nselect 1\n", '"p" is empty'),
    ("-- part: p\n'\n-- name: a\nselect 1\n", "inside a quote"),
    ("-- part: a\n1\n-- name: a\nselect 1\n", "used twice"),
    ("select 1;\n", "before the first"),
    ("-- name: a\nselect 1;\n-- name: a\nselect 2;\n", "used twice"),
    ("-- name: a\n-- name: b\nselect 1;\n", '"a" is empty'),
    ("-- name: a\nselect 'x\n", "inside a quote"),
    ("-- name: a\nselect /* x\n", "inside a quote or comment"),
    ("-- name: A b\nselect 1\n", "a name is up to 60"),
    ("-- name: " + "a" * 61 + "\nselect 1\n", "a name is up to 60"),
]

PRINT = """
#include <stdio.h>
#include "test_sql.h"
int main(void)
{
	for (size_t i = 0; test_sql_statements[i]; i++)
		printf("%s%c%s%c", test_sql_statements[i]->name, 0, test_sql_statements[i]->sql, 0);
}
"""


def embed(folder, sql):
    with open(folder + "/test.sql", "w") as f:
        f.write(sql)
    with open(folder + "/test_sql.c", "w") as out:
        return subprocess.run([os.environ["AWK"], "-v", f"header={folder}/test_sql.h", "-v",
                               "title=test", "-f", os.environ["EMBED_SQL"], folder + "/test.sql"],
                              stdout=out, stderr=subprocess.PIPE, text=True)


def statements(folder):
    """What a compiled program sees."""
    with open(folder + "/db.h", "w") as f:
        f.write("struct db_stmt { const char *name; const char *sql; };\n")
    with open(folder + "/print.c", "w") as f:
        f.write(PRINT)
    subprocess.run([os.environ.get("CC", "cc"), "-Wall", "-Werror", "-I", folder, "-o",
                    folder + "/print", folder + "/print.c", folder + "/test_sql.c"], check=True)
    parts = subprocess.check_output([folder + "/print"], text=True).split("\0")[:-1]
    return dict(zip(parts[::2], parts[1::2]))


class EmbedTest(unittest.TestCase):
    def test_cases(self):
        for sql, expected in CASES:
            with self.subTest(sql=sql), tempfile.TemporaryDirectory() as folder:
                done = embed(folder, sql)
                if isinstance(expected, str):
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn(expected, done.stderr)
                else:
                    self.assertEqual(done.stderr, "")
                    self.assertEqual(statements(folder), expected)


class AheadTest(unittest.TestCase):
    def test_lists(self):
        """Of each word the statements, in their order, and no others."""
        with tempfile.TemporaryDirectory() as folder:
            done = embed(folder, "-- name: a\n-- ahead: x\nselect 1\n-- name: b\nselect 2\n"
                                 "-- name: c\n-- ahead: x\n-- ahead: y\nselect 3\n")
            self.assertEqual(done.stderr, "")
            text = open(folder + "/test_sql.c").read()
        lists = {word: re.findall(r"STMT_(\w)", text.split(f"test_sql_ahead_{word}[] = ")[1].split("}")[0])
                 for word in "xy"}
        self.assertEqual(lists, {"x": ["a", "c"], "y": ["c"]})


if __name__ == "__main__":
    unittest.main()
