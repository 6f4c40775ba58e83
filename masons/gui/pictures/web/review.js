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
