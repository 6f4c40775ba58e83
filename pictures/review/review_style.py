"""How the page of a review looks, and the script that filters its decisions."""

from __future__ import annotations

from typing import Final

STYLE: Final = """
:root{color-scheme:light dark;--paper:#fbf8f1;--ink:#2e2924;--soft:#6d645a;--line:#ddd4c3;
--card:#fff;--good:#1a7f45;--inaccuracy:#2673a8;--error:#b86e00;--blunder:#c0281f}
@media(prefers-color-scheme:dark){:root{--paper:#1d1b19;--ink:#ece6da;--soft:#a79e91;
--line:#423d37;--card:#272421;--good:#5cc98a;--inaccuracy:#6db6e8;--error:#f0a63c;
--blunder:#ff7a6e}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:62rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1,h2{font-family:Georgia,"DejaVu Serif",serif;line-height:1.2;font-weight:600}
h1{font-size:2rem;margin:.5rem 0 .2rem;overflow-wrap:anywhere}
@media(max-width:40rem){h1{font-size:1.5rem}table{font-size:.8rem!important}
th,td{padding:.3rem .2rem!important;white-space:normal!important}}
h2{font-size:1.3rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--line);
padding-bottom:.25rem}
h3{font-size:1rem;margin:0 0 .35rem}
h3 small{color:var(--soft);font-weight:400;margin-left:.5rem}
header p{margin:0;color:var(--soft)}
p{margin:.25rem 0}
.note{color:var(--soft);font-size:.85rem}
.dot{display:inline-block;width:.7em;height:.7em;margin-right:.35em}
.shared{position:absolute}
.seat{overflow-wrap:anywhere}
.wide{overflow-x:auto}
.wide+h3{margin-top:1.2rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.92rem}
th,td{padding:.35rem .45rem;text-align:right;border-bottom:1px solid var(--line);
white-space:nowrap}
thead th{white-space:normal}
th:first-child{text-align:left;white-space:normal;font-weight:500}
thead th{color:var(--soft);font-weight:500}
.graph{display:block;width:100%;min-width:32rem;height:auto}
.graph text{fill:var(--soft);font-size:12px}
.graph .grid{stroke:var(--line);stroke-width:1}
.graph polyline{fill:none;stroke-width:2;stroke-linejoin:round}
.graph circle{stroke:var(--paper);stroke-width:1.5}
.short{list-style:none;padding:0;margin:.6rem 0}
.strokes{display:flex;flex-wrap:wrap;gap:1rem}
.strokes figure{margin:0;flex:1 1 15rem;max-width:20rem}
.strokes figure>svg{display:block;width:100%;height:auto;border-radius:.4rem}
.strokes figcaption{font-size:.9rem}
select:focus-visible,a:focus-visible{outline:2px solid var(--inaccuracy);outline-offset:2px}
.filter{margin-bottom:1rem}
.filter[hidden]{display:none}
select{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);
border-radius:.4rem;padding:.15rem .3rem}
.decision{background:var(--card);border:1px solid var(--line);border-left:.35rem solid var(--line);
border-radius:.5rem;padding:.8rem 1rem;margin:.6rem 0;display:flex;gap:1.2rem;flex-wrap:wrap}
.decision[hidden]{display:none}
.decision:target{outline:2px solid var(--inaccuracy)}
.decision>div{flex:1 1 20rem;min-width:0;overflow-wrap:anywhere}
.decision figure{margin:0;flex:0 1 19rem}
.decision figure>svg{display:block;width:100%;height:auto;border-radius:.4rem}
.decision ul{margin:.4rem 0;padding-left:1.2rem}
.mark{text-transform:capitalize}
.better{color:var(--good)}
.inaccuracy{border-left-color:var(--inaccuracy)}.inaccuracy h3{color:var(--inaccuracy)}
.error{border-left-color:var(--error)}.error h3{color:var(--error)}
.blunder{border-left-color:var(--blunder)}.blunder h3{color:var(--blunder)}
.best{border-left-color:var(--good)}
@media print{.filter{display:none}.decision{break-inside:avoid}}
""".strip()

# Decisions are shown from the chosen mark on; a link to a hidden one shows all.
SCRIPT: Final = """
(function(){
var mark=document.getElementById('mark'),seat=document.getElementById('seat');
var all=Array.from(document.querySelectorAll('#decisions .decision'));
function show(){
var n=0;
all.forEach(function(d){
var on=Number(d.dataset.mark)>=Number(mark.value);
if(seat.value!==''){on=on&&d.dataset.seat===seat.value}
d.hidden=!on;
if(on){n+=1}
});
document.getElementById('shown').textContent=n+' of '+all.length;
}
function go(){
var d=location.hash&&document.getElementById(location.hash.slice(1));
if(!d){return}
if(d.hidden){mark.value='0';seat.value='';show();d.scrollIntoView()}
d.focus()
}
document.querySelector('.filter').hidden=false;
mark.addEventListener('change',show);
seat.addEventListener('change',show);
window.addEventListener('hashchange',go);
show();go();
})();
""".strip()
