// What keeps somebody from using a page and axe-core does not look for: tests/accessible.py.

const seen = (e) => e.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });

/** Targets below 24 x 24 pixels with another one in the circle of 24 pixels around their middle. */
function targets() {
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]:is([role], svg *)')]
    .filter(e => seen(e) && !e.disabled && getComputedStyle(e).pointerEvents !== 'none')
    .filter(e => !(e.tagName === 'A' && e.closest('p, li, dd, td, figcaption'))) // a link within a sentence
    .map(e => { const box = (e.closest('label') ?? e).getBoundingClientRect(); return {e, box, x: box.x + box.width / 2, y: box.y + box.height / 2}; })
    .filter(({box}) => box.width > 1 && box.right > 0);
  const small = ({box}) => box.width < 23.9 || box.height < 23.9;
  const away = (a, {box}) => Math.hypot(Math.max(box.left - a.x, 0, a.x - box.right), Math.max(box.top - a.y, 0, a.y - box.bottom));
  return all.filter(a => small(a) && all.some(b => b !== a && (away(a, b) < 12 || (small(b) && Math.hypot(a.x - b.x, a.y - b.y) < 24))))
    .map(({e, box}) => `${box.width.toFixed(0)} x ${box.height.toFixed(0)}: ${e.outerHTML.slice(0, 90)}`);
}

/** Names used twice, headings that skip a level, drawings without a name, boxes that scroll and that the keyboard does not reach. */
function outline() {
  const wrong = [], twice = names => [...new Set(names.filter((name, i) => names.indexOf(name) < i))];
  const name = e => e.getAttribute('aria-label')
    ?? (e.getAttribute('aria-labelledby') ?? '').split(' ').map(id => document.getElementById(id)?.textContent ?? '').join(' ').trim();
  wrong.push(...twice([...document.querySelectorAll('[id]')].map(e => e.id)).map(id => `id twice: ${id}`));
  const regions = [...document.querySelectorAll('section, nav, [role=region]')].filter(e => seen(e) && name(e));
  wrong.push(...twice(regions.map(name)).map(found => `region twice: ${found}`));
  let level = 0;
  for (const heading of [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter(seen)) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) wrong.push(`heading ${own} after ${level}: ${heading.textContent.slice(0, 60)}`);
    level = own;
  }
  for (const svg of [...document.querySelectorAll('svg')].filter(e => seen(e) && !e.closest('[aria-hidden=true], [role=img] *, [role=spinbutton]'))) {
    if (!name(svg) && !svg.querySelector(':scope > title')) wrong.push(`drawing without a name: ${svg.outerHTML.slice(0, 90)}`);
  }
  for (const box of [...document.querySelectorAll('main *')].filter(e => seen(e) && !e.closest('svg'))) {
    const scrolls = /auto|scroll/.test(getComputedStyle(box).overflowX) && box.scrollWidth > box.clientWidth + 1;
    const named = box.tabIndex >= 0 && (box.tagName === 'PRE' || box.querySelector('table, math') || name(box)); // what is read as it is reached
    if (scrolls && !named && ![...box.querySelectorAll('button, input, select, a[href]')].some(seen)) {
      wrong.push(`scrolls without a name or a tab stop: ${box.outerHTML.slice(0, 90)}`);
    }
  }
  return wrong;
}

/** Marks of drawings with less contrast than 3:1, and their texts below 4.5:1, but for `decoration`, a selector. */
function colours(decoration) {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = colour => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const over = ([r, g, b, a], below, alpha = 1) => [r, g, b].map((x, i) => x * alpha * a / 255 + below[i] * (1 - alpha * a / 255));
  const light = rgb => rgb.map(x => x / 255).map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4).reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const below = e => {
    for (let up = e.parentElement; up; up = up.parentElement) {
      const colour = rgba(getComputedStyle(up).backgroundColor);
      if (colour[3] > 250) return colour.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const found = new Map(), looked = new Set();
  for (const mark of document.querySelectorAll('svg :is(circle, path, rect, line, polygon, use, text, tspan)')) {
    const kind = [mark, mark.parentElement, mark.parentElement.parentElement].map((e) => [e.tagName, ...['class', 'fill', 'stroke'].map((x) => e.getAttribute(x))]).join();
    if (looked.has(kind)) continue;
    if (mark.matches(decoration) || !seen(mark) || !mark.getBoundingClientRect().width && !mark.getBoundingClientRect().height) continue;
    looked.add(kind);
    const style = getComputedStyle(mark), text = /text|tspan/.test(mark.tagName), ground = below(mark);
    let opacity = 1;
    for (let up = mark; up && up.tagName !== 'BODY'; up = up.parentElement) opacity *= getComputedStyle(up).opacity;
    const painted = [['fill', style.fillOpacity], ['stroke', style.strokeOpacity]].slice(0, text ? 1 : 2)
      .filter(([what]) => style[what] !== 'none' && !(what === 'fill' && mark.tagName === 'line') && rgba(style[what])[3] > 0 && (what === 'fill' || parseFloat(style.strokeWidth) > 0))
      .map(([what, own]) => ratio(over(rgba(style[what]), ground, opacity * own), ground));
    const best = Math.max(...painted);
    if (best > 1.02 && best < (text ? 4.5 : 3)) found.set(`${mark.tagName} .${mark.getAttribute('class') ?? ''} in .${mark.parentElement.getAttribute('class') ?? ''}`, best.toFixed(2));
  }
  return [...found].map(([mark, contrast]) => `${mark}: ${contrast}:1`);
}

/** Buttons after which a screen reader reads nothing, or several places, or which lose the focus; sliders that read several places. */
async function heard() {
  const live = e => e.closest?.('[role=status]:not([aria-live=off]), [role=alert], [aria-live=polite], [aria-live=assertive], output:not([aria-live=off])');
  const states = () => [document.activeElement, ...[...document.querySelectorAll('[aria-pressed], [aria-current], input:checked, details')]
    .map(e => [e.ariaPressed, e.getAttribute('aria-current'), e.value, e.open].join())];
  const wrong = [], frame = () => new Promise(requestAnimationFrame);
  const after = async (act, wait = true) => {
    const was = states(), said = new Map(), watch = new MutationObserver(all => all.forEach(({target}) => {
      const place = live(target.nodeType === 1 ? target : target.parentElement);
      if (place && seen(place) && place.textContent.trim()) said.set(place, place.textContent);
    }));
    watch.observe(document.body, {subtree: true, childList: true, characterData: true});
    const changed = () => states().some((one, i) => one !== was[i]);
    act();
    await frame();
    for (let k = 0; wait && k < 600 && !said.size && !changed(); k++) await frame();
    const moved = changed();
    await frame();
    watch.disconnect();
    return [[...said.values()], moved];
  };
  const last = e => e.matches('[data-go]'); // which takes the other questions away
  for (const button of [...document.querySelectorAll('main button:not(.dot)')].sort((a, b) => last(a) - last(b))) {
    if (!button.isConnected || !seen(button) || button.disabled || button.ariaDisabled === 'true') continue;
    button.focus();
    const [said, changed] = await after(() => button.click());
    if (said.length > 1 || !(said.length || changed)) wrong.push(`${button.ariaLabel ?? button.textContent}: ${JSON.stringify(said)}`);
    if (button.id === 'run') await after(() => button.click());
    if (document.activeElement === document.body) wrong.push(`${button.ariaLabel ?? button.textContent}: the focus is lost`);
  }
  for (const slider of [...document.querySelectorAll('input[type=range]')].filter(e => seen(e) && !e.disabled)) {
    const [said] = await after(() => { slider.stepUp(); slider.dispatchEvent(new Event('input', {bubbles: true})); }, false);
    if (said.length > 1) wrong.push(`${slider.id}: ${JSON.stringify(said)}`);
  }
  return wrong;
}
