"""What page_uplot.py takes out of uPlot besides, as 1.6.32 writes it. Names of one or two letters stand for any, … for
whatever is between. [(what is written, what stands there instead)], by what no chart of the page has."""

# A cursor that is told to other charts, or by them: the page does that itself (chart/line/cursor.js).
SYNC = [
    ("const Hi=(l,e,t)=>t,Fi=Bl({key:null,…},oe.sync);2==Fi.match.length&&Fi.match.push(Hi),oe.sync=Fi;"
     "const Ri=Fi.key,Gi=dt(Ri);function Ii(l,e,t,n,i,o,s){Fi.filters.pub(l,e,t,n,i,o,s)&&Gi.pub(l,e,t,n,i,o,s)}", ""),
    ("return Gi.sub(k),k.pub=function(l,e,t,n,i,o,s){…},k.destroy=function(){Gi.unsub(k),", "return k.destroy=function(){"),
    ("const Wi={};Wi.mousedown=zi,…&&oi(t,n,!0,!1)},re&&(", "re&&("),
    ("Mt(l),null!=l)t=l.clientX-wi.left,n=l.clientY-wi.top;else{if(0>t||0>n)return …1==jl.ori){let l=t;t=n,n=l}}!u||"
     "null!=e&&e.cursor.event.type!=f||(", "Mt(l),!0)t=l.clientX-wi.left,n=l.clientY-wi.top;!u||("),
    ("if(ei.show&&Xn)if(null!=l){…}else{let l=ol(Ln-Fn)", "if(ei.show&&Xn){let l=ol(Ln-Fn)"),
    ("null==l){if(t){if(null!=Ri){…}Ii(f,k,Nn,jn,Ie,Le,n)}if(Et){let l=t&&Fi.setSeries,", "null==l){if(Et){let l=!1,"),
    ("oi(null,ai,!0,null==l&&Fi.setSeries)", "oi(null,ai)"),
    (",i&&Ii(\"setSeries\",k,e,t)}", "}"),
    ("null!=l&&(Ce(h,b,Di,!1),Ii(c,k,Gn,In,Ie,Le,null))", "Ce(h,b,Di,!1)"),
    ("null!=l&&(He(h,b),Ii(h,k,Nn,jn,Ie,Le,null))", "He(h,b)"),
]

# Ranges and steps that it finds of the data: the page says both.
RANGES = [
    ("let n=e.time,i=e.range,o=Gl(i);if((l!=El||…)&&(…),!o&&Ol(i))){…}e.range=bl(i||(…)),e.auto=bl(!o&&e.auto)",
     "e.range=bl(e.range),e.auto=bl(e.auto)"),
    ("if(null!=t.from){Il(t.from);…}else{e=vl[l]=Bl(", "{e=vl[l]=Bl("),
    ("2==Ul?(l=Lt,e=en):l==e&&(…)):(Lt=", "l==e&&(e=l+1)):(Lt="),
    ("e.show&&e.auto&&bn(o,i,e,g[t],e.sorted);e.idxs", "0;e.idxs"),
    ("function bn(l,e,t,n,i=0){…t.max=s[1])}}k.setData", "k.setData"),
    ("for(let e in l){let t=l[e];if(null!=t.from){…}}let e={}", "let e={}"),
    ("for(let l in vl){let e=vl[l];null==Kl[l]&&null!=e.from&&null!=Kl[e.from]&&(Kl[l]=vn)}", ""),
    ("[a,f]=function(l,e,t,n){let i,o=xl[l];if(n>0){…}else i=[0,0];return o._found=i}(n,r,u,0==s?Ie:Le)",
     "[a,f]=t._found=[1,Math.max(0,0==s?Ie:Le)]"),
    ("Gl(l.incrs)&&l.incrs.forEach((l=>{…})),l.incrs=bl(l.incrs||(2==t.distr?ae:fe)),", ""),
    (",oe=l=>l%1==0,se=[1,2,2.5,5],re=Cl(…),ue=Cl(…),ae=ue.filter(oe),fe=re.concat(ue);", ";"),
    ("Cl(2,-53,53,[1]);", ""),
    ("j=l=>null!=l&&l>0,U=O(N),V=O(j);", "U=O(N);"),
    ("if(Il(l)||Wl.has(l))return l", "if(Il(l))return l"),
    ("c=t._splits=t.splits(k,n,r,u,a,f,2==i.distr),h=2==i.distr?…:c,d=2==i.distr?…:a,",
     "c=t._splits=t.splits(k,n,r,u),h=c,d=a,"),
    (",x=e._splits,w=2==p.distr?…:x,_=2==p.distr?…:h,", ",x=e._splits,w=x,_=h,"),
]

# Bands and filled series, the names of axes and the lines along them.
DRAWN = [
    ("let[S,T]=mt(l,t);if(null!=o.fill||0!=S){…}if(!o.spanGaps){", "if(!o.spanGaps){"),
    ("return 0!=T&&(k.band=2==T?[…]:xt(l,t,n,i,y,T)),k}))}", "return k}))}"),
    (",Tl=k.bands=u.bands||[];Tl.forEach((l=>{…}));const El", ";const El"),
    ("e?Sn(r,a,t.dash,t.cap,u,n,i,s,o):function(l,e,…){…}(l,r,a,t.dash,t.cap,u,n,i,s,f,o),",
     "Sn(r,a,t.dash,t.cap,u,n,i,s,e?o:f,e?null:o),"),
    ("c?(r&Mn)==Mn?…:(En(i,s),Tn(l,o,e)),", "En(i,s),Tn(l,o,e),"),
    ("(u||a||c)&&(K.save(),u&&K.clip(u),a&&K.clip(a)),", "(u||a)&&(K.save(),u&&K.clip(u),a&&K.clip(a)),"),
    ("(u||a||c)&&K.restore()", "(u||a)&&K.restore()"),
    ("const Mn=3;function Sn(", "function Sn("),
    ("t.fillTo=bl(t.fillTo||gt),", ""),
    ("if(null!=e.label){…K.restore()}if(0==d)continue;", "if(0==d)continue;"),
    (",v.show&&zn([z],…,v.dash,v.cap)}", "}"),
    (",l.border.stroke=bl(l.border.stroke)", ""),
    (",l.labelFont=Qt(l.labelFont)", ""),
    ("Ne='12px …',je=\"bold \"+Ne,Ue=", "Ne=\"12px sans-serif\",Ue="),
    ("labelGap:0,labelSize:30,labelFont:je,side:2,", "side:2,"),
    ("labelGap:0,labelSize:30,labelFont:je,side:3,", "side:3,"),
    ("points:{show:function(l,e){let{scale:t,idxs:n}=…},filter:null},", "points:{},"),
    ("[l.font,l.labelFont].forEach(", "[l.font].forEach("),
]


# A chart on its side, bars with round corners, whose x grows to the left.
SIDEWAYS = [
    ("return 0==f.ori?t(i,u,a,f,c,g,x,h,d,p,m,kt,Mt,Tt,zt,Pt):t(…)}", "return t(i,u,a,f,c,g,x,h,d,p,m)}"),
    ("0==u.ori?(g=Mt,x=Ct):(g=St,x=Ht);const v=u.dir*(0==u.ori?1:-1),", "g=Mt,x=Ct;const v=1,"),
    ("0==r.ori?(m=kt,g=zt):(m=yt,g=Dt);const _", "m=kt,g=zt;const _"),
    ("const r=0==e?Tt:Et;let u=t", "const r=Tt;let u=t"),
    ("function vt(l){let e=0==l?kt:yt,…l.closePath())}}const kt", "const kt"),
    ("Tt=vt(0),Et=vt(1),", "Tt=(l,e,t,n,i)=>{l.rect(e,t,n,i)},"),
    ("const Ct=Yt(Mt),Ht=Yt(St);", "const Ct=Yt(Mt);"),
    ("0==jl.ori?(S(R,\"u-hz\"),$l=P,ql=W):(S(R,\"u-vt\"),$l=W,ql=P);", "S(R,\"u-hz\"),$l=P,ql=W;"),
    ("0==jl.ori?(Cn=Wn,Hn=Yn):(Cn=Yn,Hn=Wn),Nn=oe.left", "Cn=Wn,Hn=Yn,Nn=oe.left"),
    ("};let di=0==jl.ori?ci:hi,pi=1==jl.ori?ci:hi;", "};let di=ci,pi=hi;"),
    ("let i=0==jl.ori?Ie:Le,o=1==jl.ori?Ie:Le;if(0>Nn", "let i=Ie,o=Le;if(0>Nn"),
    ("(l=0==jl.ori?Nn:jn,e=fi(l,El)", "(l=Nn,e=fi(l,El)"),
    ("let e=1==jl.ori?Nn:jn,t=ol(Tt.dist(", "let e=jn,t=ol(Tt.dist("),
    ("0==jl.ori?(t=e,n=p):(t=p,n=e);", "t=e,n=p;"),
    ("if(1==jl.ori){let t=l;l=e,e=t}", ""),
    ("0==jl.ori?(l=Qn,e=li):(l=li,e=Qn),l&&e&&", "l=Qn,e=li,l&&e&&"),
]

# A legend, and what is told when one would be written.
LEGEND = [
    ("ie=k.legend=Bl({},Ye,u.legend),oe=k.cursor", "oe=k.cursor"),
    (",se=ie.show,re=oe.show,ue=ie.markers;let ce,he,de;ie.idxs=te,…{show:!0},ve={show:!1},Pe=new Map;",
     ",re=!0,Pe=new Map;"),
    ("{let l=!0&&vl[t.scale].time,e=t.value;…}if(zt||n>0)", "{}if(zt||n>0)"),
    ("if(!1){let i=function(t,n){…}(t,n);me.splice(n,0,i[0]),…ie.values.push(null)}", ""),
    ("ie.show&&ie.live&&_t&&(mi(),_t=!1),", ""),
    ("if(pl[e].show)!1&&T(me[e],l);else if(!1&&S(me[e],l),re){", "if(!pl[e].show){"),
    (",!1&&me[l]&&(me[l].style.opacity=e)", ""),
    ("!1&&Et&&Ce(p,ce,(l=>{…})),k.valToIdx", "k.valToIdx"),
    ("function mi(l,e){if(null!=l&&(l.idxs?…\"setLegend\")}function gi(l,e){…ie.values[l]=t}", "function mi(){_t=!1}"),
    ("ie.live&&(te.fill(n),_t=!0)", "te.fill(n),_t=!0"),
    ("(ie.idx=n,mi())", "mi()"),
    ("k.setLegend=mi;", ""),
    (",ce?.remove()", ""),
]

# What is dragged zooms by itself, over x and y; one point for all lines; a point that is sought nearer to zero.
DRAGGED = [
    ("let t,n,s=Zn.uni;null!=s?…(Qn=li=!0),", "let t,n;"),
    (",li&&(1==jl.ori?…pi(al(t,n),ol(n-t)),Qn||di(0,i)),Qn||li||", ",Qn||"),
    (",Zn.setScale&&f&&c){…yi()}else oe.lock&&(…,xi(e,!0,null!=l));", ");"),
    ("let t=l.prox=bl(l.prox),n=l.bias??=0;oe", "oe"),
    ("let r=o,u=t(l,i,o,s)??gl,…,h=g[0],d=g[i];", "let r=o,d=g[i];"),
    ("if(0==n||-1==n)for(l=o;", "for(l=o;"),
    ("if(0==n||1==n)for(l=o;", "for(l=o;"),
    ("if(null!=t||null!=i)if(a){…}else r=null==i?…}else a&&…;return r}}",
     "r=null==i?t:null==t||o-t>i-o?i:t}return r}}"),
    ("let n=Tt.bias;if(0!=n){…}else si=t,ri=l", "si=t,ri=l"),
    (",zt)l!=ri||si>Tt.prox||(…);else{", "){"),
    ("if(zt){let l=Tt.prox;if(_t||(…)){…}}}if(ei", "}if(ei"),
    (",zt=Et&&St.one;", ",zt=!1;"),
    ("function Pi(l){oe._lock||(Mt(l),xn(),…)}function Ai", "function Pi(){}function Ai"),
]

# Plugins, titles, steps between whole places of a table, margins that are found, changes in one go, lines that come later.
REST = [
    ("null!=u.id&&(R.id=u.id),S(R,u.class),u.title&&(D(\"u-title\",R).textContent=u.title);", ""),
    ("(u.plugins||[]).forEach((l=>{l.opts&&(u=l.opts(k,u)||u)}));", ""),
    ("(u.plugins||[]).forEach((l=>{…}));const Hi", "const Hi"),
    ("k.batch=function(l,e=!1){…},k.redraw", "k.redraw"),
    ("function $n(){Vn=!1;…Bn.length=0}", ""),
    ("Vn?Bn.push([l,e,t]):l in", "l in"),
    ("k.addSeries=function(l,e){…pl.splice(e,0,l),Yt(pl[e],e)};", ""),
    ("function Ht(l,e,t){let[n,i,o,s]=t,…rl(it.size/2):0),u}const Ft", "const Ft"),
    ("(u.padding||[Ht,Ht,Ht,Ht]).map((l=>bl(Q(l,Ht))))", "u.padding.map(bl)"),
    ("if(2==Ul){l=g.slice();…}k._data=g=l", "k._data=g=l"),
    ("100==l.distr?e=>l.fwd(e):l=>l", "l=>l"),
    ("100==l?o.fwd(o.min):o.min", "o.min"),
    ("100==l?o.fwd(o.max):o.max", "o.max"),
    ("100==r?n.bwd(s):s", "s"),
    ("(G(\"resize\",v,Lt),G(\"scroll\",v,Lt,!0),G(x,v,(()=>{en.pxRatio=y})))", "(G(\"resize\",v,Lt),G(\"scroll\",v,Lt,!0))"),
    ("ot={scale:null,…},st=", "st="),
    (",rt={show:!0,auto:!0,sorted:0,gaps:st,alpha:1,facets:[…]},ut=", ",ut="),
    ("en.assign=Bl,…en.sync=dt;{…l.linear=Ft}", ""),
    ("const el=new Intl.NumberFormat(…),tl=l=>el.format(l),nl=Math", "const nl=Math"),
    ("const n=l.mode,i=l.series[e],o=2==n?…:l._data,s=l.scales,r=l.bbox;let u=o[0],a=2==n?o[1]:o[e],f=2==n?…:"
     "s[l.series[0].scale],c=2==n?…:s[i.scale],",
     "const i=l.series[e],o=l._data,s=l.scales,r=l.bbox;let u=o[0],a=o[e],f=s[l.series[0].scale],c=s[i.scale],"),
]

CUTS = [*REST, *SYNC, *RANGES, *DRAWN, *SIDEWAYS, *LEGEND, *DRAGGED]
