// The playground in a browser. PLAYGROUND: the folder that `./dev web` makes; SOFTRADIAL: the program, whose numbers the page must
// show.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { accessibility, launch, open, overflow } from './browser.mjs';

const folder = process.env.PLAYGROUND;
const program = process.env.SOFTRADIAL;
const url = pathToFileURL(`${folder}/playground.html`).href;
const scratch = mkdtempSync(`${tmpdir()}/playground-`);
// The bar of agreement with the native program: relative, and absolute below 1.
const kAgreement = 1e-14;
let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

const wide = { viewport: { width: 1280, height: 1000 } };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };

// Waits until the page has drawn, and has rested long enough to write its link and its texts.
async function rested(page) {
  await page.waitForFunction(() => window.playground);
  await page.waitForTimeout(400);
}

async function opened(hash = '', options = wide) {
  const all = await open(browser, url + hash, options);
  await rested(all.page);
  return all;
}

const cells = async (page, row) => page.locator('#numbers tbody tr').nth(row).locator('th, td').allInnerTexts();
const numbers = text => text.split(', ').map(Number);
const words = page => page.locator('.panel figcaption strong').allInnerTexts();
const point = async (page, name) => numbers(await page.locator(`[data-point=${name}]`).getAttribute('data-value'));

// x by the program, for the anchor and the parameters that the page shows and its u or the `rows` given. A set that is given
// carries its anchor.
async function native(page, method, { json, rows } = {}) {
  const set = `${scratch}/set.json`;
  writeFileSync(set, json ?? await page.locator('#json').inputValue());
  const input = (rows ?? [await point(page, 'u')]).map(row => row.join(',') + '\n').join('');
  const words = [];
  const add = async (flag, id) => words.push(flag, await page.locator(id).inputValue());
  if (method === 'soft_radial' || method === 'gauge_map') await add('--lambda', '#lambda');
  if (method === 'soft_radial') await add('--epsilon', '#epsilon');
  if (method === 'soft_radial' || method === 'gauge_map') await add('--contraction', '#contraction');
  if (!json && await page.locator('#find-anchor').isEnabled()) {
    writeFileSync(`${scratch}/anchor.csv`, (await point(page, 'anchor')).join(',') + '\n');
    words.push('--anchor', `${scratch}/anchor.csv`);
  }
  const out = execFileSync(program, ['project', '--set', set, '--method', method, ...words], { input, encoding: 'utf8' });
  return out.trim().split(/[,\n]/).map(Number);
}

// The largest difference between the page and the program, in units of the numbers.
function difference(shown, expected) {
  assert.equal(shown.length, expected.length);
  return Math.max(...shown.map((x, i) => Math.abs(x - expected[i]) / Math.max(1, Math.abs(expected[i]))));
}

async function drag(page, handle, by) {
  const box = await page.locator(`#panel-0 [data-handle="${handle}"]`).boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let k = 1; k <= 30; ++k) {
    await page.mouse.move(x + by[0] * k / 30, y + by[1] * k / 30);
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  await page.mouse.up();
  await rested(page);
}

test('opens from the disk, has descended, asks for nothing', async t => {
  const { page, problems, requests } = await opened();
  assert.deepEqual(await words(page), ['stalls', 'slides, then stops', 'arrives']);
  assert.equal(numbers((await cells(page, 0))[2]).every(value => Math.abs(value) < 1e-12), true);
  assert.deepEqual(problems, []);
  assert.deepEqual(requests, [url]);
  const drawn = await page.evaluate(() => performance.getEntriesByName('drawn')[0].startTime);
  const wasm = readFileSync(`${folder}/softradial.wasm`);
  t.diagnostic(`first draw after ${drawn.toFixed(0)} ms; library ${(gzipSync(wasm, { level: 9 }).length / 1000).toFixed(0)} kB ` +
    `compressed, playground.html ${(statSync(`${folder}/playground.html`).size / 1000).toFixed(0)} kB`);
  assert.ok(gzipSync(wasm, { level: 9 }).length < 500e3);
});

test('served, it asks for its own files alone', async () => {
  const types = { html: 'text/html', js: 'text/javascript', wasm: 'application/wasm' };
  const server = createServer((request, response) => {
    const file = request.url === '/' ? 'index.html' : request.url.slice(1);
    response.setHeader('Content-Type', types[file.split('.').pop()] ?? 'text/plain');
    response.end(readFileSync(`${folder}/${file}`));
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  const root = `http://127.0.0.1:${server.address().port}/`;
  const { page, problems, requests } = await open(browser, root, wide);
  await rested(page);
  assert.deepEqual(await words(page), ['stalls', 'slides, then stops', 'arrives']);
  assert.deepEqual(problems, []);
  assert.deepEqual(requests.filter(request => request !== 'data:,').sort(), [root, `${root}playground.js`, `${root}softradial.wasm`]);
  server.close();
});

test('every method on every set shows the numbers of the program', async t => {
  const { page, problems } = await opened();
  const sets = await page.locator('#set option').evaluateAll(options => options.map(option => option.value));
  let worst = [0, 'nowhere'];
  let count = 0;
  for (const set of sets.filter(name => name !== 'own')) {
    await page.selectOption('#set', set);
    await rested(page);
    const start = await point(page, 'u');
    const methods = await page.locator('#panel-0 select option').evaluateAll(
      options => options.filter(option => !option.disabled).map(option => option.value));
    assert.ok(['soft_radial', 'hard_radial', 'gauge_map'].every(name => methods.includes(name)), `${set}: ${methods}`);
    // hp trains a network when it is made: a last digit there grows to a third one after 400 steps.
    for (const method of methods.filter(name => name !== 'hp')) {
      await page.selectOption('#panel-0 select', method);
      const rows = [];
      const shown = [];
      for (const scale of [1, -0.2, 40]) {
        for (const [i, number] of start.entries()) {
          await page.locator('[data-point=u] input').nth(i).fill(String(number * scale));
          await page.locator('[data-point=u] input').nth(i).blur();
        }
        await page.evaluate(() => new Promise(resolve => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
        const [name, x] = await cells(page, 0);
        assert.equal(name, method.replaceAll('_', ' '));
        rows.push(await point(page, 'u'));
        shown.push(...numbers(x));
      }
      const off = difference(shown, await native(page, method, { rows }));
      if (off > worst[0]) worst = [off, `${set}, ${method}`];
      assert.ok(off <= kAgreement, `${set}, ${method}: off by ${off}`);
      count += rows.length;
    }
  }
  t.diagnostic(`${count} points, the worst off by ${worst[0].toExponential(1)} (${worst[1]})`);
  assert.deepEqual(problems, []);
});

test('points, anchor and corners are dragged', async () => {
  const { page, problems } = await opened();
  const seen = new Set();
  for (const [handle, by] of [['u', [60, -90]], ['target', [30, -25]], ['anchor', [-25, 20]], ['corner 3', [50, -10]]]) {
    await drag(page, handle, by);
    const json = await page.locator('#json').inputValue();
    seen.add([json, await point(page, 'u'), await point(page, 'target'), await point(page, 'anchor')].join(' '));
    assert.ok(difference(numbers((await cells(page, 2))[1]), await native(page, 'soft_radial')) <= kAgreement, handle);
  }
  assert.equal(seen.size, 4);
  await page.locator('#find-anchor').click();
  await rested(page);
  assert.ok(difference(numbers((await cells(page, 2))[1]), await native(page, 'soft_radial')) <= kAgreement);
  assert.deepEqual(problems, []);
});

test('an anchor outside is refused in the words of the library', async () => {
  const { page } = await opened();
  await page.locator('[data-point=anchor] input').first().fill('5');
  await page.locator('[data-point=anchor] input').first().blur();
  await rested(page);
  assert.match(await page.locator('#panel-2 .problem').innerText(), /anchor.*slack/);
  assert.equal(await page.locator('#panel-0 .problem').isVisible(), false);
});

test('lambda, epsilon and contraction', async () => {
  const { page } = await opened();
  const before = (await cells(page, 2))[1];
  await page.locator('#lambda-range').focus();
  for (let k = 0; k < 20; ++k) await page.keyboard.press('ArrowRight');
  await page.locator('#epsilon').fill('0.2');
  await page.locator('#epsilon').blur();
  await page.selectOption('#contraction', 'exponential');
  await rested(page);
  assert.ok(Number(await page.locator('#lambda').inputValue()) > 1);
  const after = (await cells(page, 2))[1];
  assert.notEqual(after, before);
  assert.ok(difference(numbers(after), await native(page, 'soft_radial')) <= kAgreement);
});

test('situations are as they are told', async () => {
  const { page, problems } = await opened();
  const choose = async name => {
    await page.getByRole('button', { name }).click();
    await page.waitForFunction(() => [...document.querySelectorAll('.panel figcaption strong')].every(word => word.textContent !== 'computing'));
    await rested(page);
    return words(page);
  };
  assert.equal((await choose('Along an edge'))[0], 'slides, then stops');
  assert.equal((await choose('Along an edge'))[2], 'arrives');
  assert.notEqual((await choose('Far away'))[2], 'arrives');
  assert.equal(await page.locator('#panel-2 [data-handle=u]').evaluate(handle => handle.classList.contains('off')), true);
  await choose('Target on the boundary');
  const away = text => Number(/\|u\| (\S+)/.exec(text)[1]);
  assert.ok(away(await page.locator('#panel-2 .numbers').innerText()) > 2);
  await choose('Three assets');
  assert.equal((await point(page, 'u')).length, 3);
  assert.equal((await words(page))[2], 'arrives');
  assert.deepEqual(problems, []);
});

test('a SET.json of one\'s own, and the library\'s line where it is none', async () => {
  const { page, problems } = await opened();
  const box = page.locator('#json');
  await box.fill('{"type": "lp_ball", "center": [10, 0], "radius": 3, "p": 1.5}');
  await rested(page);
  assert.equal(await page.locator('#set').inputValue(), 'own');
  assert.ok(difference(numbers((await cells(page, 2))[1]), await native(page, 'soft_radial')) <= kAgreement);
  assert.match(await page.locator('#panel-0 .problem').innerText(), /orthogonal/);
  for (const [name, text] of [['cap', '{"type": "capped_simplex", "dim": 3, "cap": "x"}'], ['end', '{"type": "ball", '],
    ['empty', '{"type": "polyhedron", "A": [[1, 0], [-1, 0]], "b": [0, -1]}']]) {
    await box.fill(text);
    await rested(page);
    const line = await page.locator('#json-problem').innerText();
    writeFileSync(`${scratch}/own.json`, text);
    const { stderr } = spawnSync(program, ['project', '--set', `${scratch}/own.json`], { input: '0,0\n', encoding: 'utf8' });
    assert.ok(stderr.includes(line) && line.length > 10, `${name}: ${line} / ${stderr}`);
  }
  await box.fill('{"type": "box", "lower": [0, 0, 0], "upper": [1, 1, 1]}');
  await rested(page);
  assert.match(await page.locator('#json-problem').innerText(), /drawn/);
  assert.deepEqual(problems, []);
});

test('a link restores everything', async () => {
  const { page } = await opened();
  await drag(page, 'corner 2', [20, 30]);
  await drag(page, 'u', [33, 21]);
  await drag(page, 'anchor', [7, 9]);
  await page.selectOption('#panel-1 select', 'soft_orthogonal');
  await page.selectOption('#contraction', 'hyperbolic');
  await rested(page);
  const hash = await page.evaluate(() => location.hash);
  const again = await opened(hash);
  assert.equal(await again.page.locator('#numbers tbody').innerText(), await page.locator('#numbers tbody').innerText());
  assert.equal(await again.page.evaluate(() => location.hash), hash);
  const odd = await opened('#set=nothing&u=1,x&methods=a,b,c&lambda=-3&corners=1,2');
  assert.deepEqual(await words(odd.page), ['stalls', 'slides, then stops', 'arrives']);
  assert.deepEqual(odd.problems, []);
});

test('the programs that it writes are programs', async () => {
  const { page, context } = await opened();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await drag(page, 'anchor', [10, 10]);
  const text = async language => {
    await page.selectOption('#language', language);
    await page.locator('#copy-code').click();
    return page.locator('#code').innerText();
  };
  const json = await text('SET.json');
  assert.ok(difference(numbers((await cells(page, 2))[1]), await native(page, 'soft_radial', { json })) <= kAgreement);
  writeFileSync(`${scratch}/copied.cpp`, await text('C++'));
  execFileSync('g++', ['-std=c++20', '-fsyntax-only', '-Wall', '-Werror', `-I${process.env.INCLUDE}`, '-I/usr/include/eigen3',
    `${scratch}/copied.cpp`]);
  writeFileSync(`${scratch}/copied.py`, await text('Python'));
  execFileSync('/usr/bin/python3', ['-m', 'py_compile', `${scratch}/copied.py`]);
  await page.locator('#copy-link').click();
  await page.locator('#copied', { hasText: 'copied' }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await page.evaluate(() => location.href));
});

test('by keyboard alone', async () => {
  const { page } = await opened();
  const focused = () => page.evaluate(() => document.activeElement.dataset?.handle ?? document.activeElement.id);
  const tabTo = async name => {
    for (let k = 0; k < 60 && await focused() !== name; ++k) await page.keyboard.press('Tab');
    assert.equal(await focused(), name);
  };
  await tabTo('corner 3');
  const json = await page.locator('#json').inputValue();
  await page.keyboard.press('Shift+ArrowUp');
  await tabTo('u');
  const u = await point(page, 'u');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowUp');
  await rested(page);
  assert.notDeepEqual(await point(page, 'u'), u);
  assert.notEqual(await page.locator('#json').inputValue(), json);
  await tabTo('play');
  await page.keyboard.press('Enter');
  await page.locator('#play', { hasText: 'Stop' }).waitFor();
  await page.waitForFunction(() => Number(document.getElementById('shown').value) > 5);
  await page.keyboard.press('Enter');
  await tabTo('shown');
  await page.keyboard.press('Home');
  await page.locator('#shown-text', { hasText: /^0 of/ }).waitFor(); // drawn with the next frame
  await tabTo('add-corner');
  await page.keyboard.press('Enter');
  await rested(page);
  const corner = page.locator('#panel-0 [data-handle="corner 4"]');
  await corner.focus();
  await page.keyboard.press('Delete');
  await corner.waitFor({ state: 'detached' });
});

test('on a phone: one panel with tabs, the loss pinned, nothing too wide, touch', async () => {
  const { page, problems } = await opened('', phone);
  assert.ok(await overflow(page) <= 0);
  const visible = () => page.locator('.panel').evaluateAll(panels => panels.map(panel => panel.clientWidth > 0));
  assert.deepEqual(await visible(), [true, false, false]);
  await page.locator('#tabs button').nth(2).tap();
  assert.deepEqual(await visible(), [false, false, true]);
  const box = await page.locator('#loss').boundingBox();
  assert.ok(Math.abs(box.y + box.height - 844) < 2);
  const canvas = await page.locator('#panel-2 canvas').boundingBox();
  const u = await point(page, 'u');
  await page.touchscreen.tap(canvas.x + 60, canvas.y + 60);
  await rested(page);
  assert.notDeepEqual(await point(page, 'u'), u);
  assert.deepEqual(problems, []);
});

test('a finger drags u, target, anchor and a corner, and the page stays where it is', async () => {
  const { page, context, problems } = await opened('', phone);
  const fingers = await context.newCDPSession(page);
  const touch = (type, ...points) => fingers.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
  await page.locator('#panel-0 canvas').scrollIntoViewIfNeeded();
  const scrolled = await page.evaluate(() => scrollY);
  const seen = new Set();
  const state = async () => [await page.locator('#json').inputValue(), await point(page, 'u'), await point(page, 'target'),
    await point(page, 'anchor')].join(' ');
  seen.add(await state());
  for (const [handle, by] of [['u', [40, -60]], ['target', [20, -15]], ['anchor', [-15, 12]], ['corner 3', [-20, 24]]]) {
    const place = page.locator(`#panel-0 [data-handle="${handle}"]`);
    const box = await place.boundingBox();
    const from = [box.x + box.width / 2, box.y + box.height / 2];
    await touch('touchStart', from);
    for (let k = 1; k <= 10; ++k) {
      await touch('touchMove', [from[0] + by[0] * k / 10, from[1] + by[1] * k / 10]);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    await touch('touchEnd');
    await rested(page);
    const now = await place.boundingBox();
    assert.ok(Math.hypot(now.x - box.x - by[0], now.y - box.y - by[1]) < 1.5, `${handle} follows the finger`);
    assert.ok(difference(numbers((await cells(page, 2))[1]), await native(page, 'soft_radial')) <= kAgreement, handle);
    seen.add(await state());
  }
  assert.equal(seen.size, 5);
  assert.equal(await page.evaluate(() => scrollY), scrolled);
  assert.deepEqual(problems, []);
});

test('axe finds nothing serious, light and dark, wide and on a phone', async () => {
  for (const colorScheme of ['light', 'dark']) {
    for (const size of [wide, phone]) {
      const { page, context } = await opened('', { ...size, colorScheme });
      assert.deepEqual(await accessibility(page), []);
      const paper = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      assert.equal(paper, colorScheme === 'dark' ? 'rgb(18, 24, 31)' : 'rgb(255, 255, 255)');
      await context.close();
    }
  }
});

test('frames while dragging, measured', async t => {
  const median = times => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];
  for (const methods of ['orthogonal,hard_radial,soft_radial', 'gauge_map,hard_radial,soft_radial']) {
    const { page, context } = await opened(`#methods=${methods}`);
    for (const handle of ['u', 'anchor', 'corner 2']) {
      await page.evaluate(() => { window.playground.frameTimes.length = 0; });
      await drag(page, handle, [25, -20]);
      const times = await page.evaluate(() => window.playground.frameTimes);
      t.diagnostic(`${methods}: ${handle}: ${times.length} frames, median ${median(times).toFixed(1)} ms, longest ${Math.max(...times).toFixed(1)} ms`);
    }
    await context.close();
  }
});
