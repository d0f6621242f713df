// The report and the live window in a browser. REPORT, DISPATCH, SWEEP: pages that `softradial report` made; STORE and SOFTRADIAL: a
// store and the program, for the live window.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { accessibility, launch, open, overflow } from './browser.mjs';

const report = pathToFileURL(process.env.REPORT).href;
const dispatch = pathToFileURL(process.env.DISPATCH).href;
const sweep = pathToFileURL(process.env.SWEEP).href;
let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

for (const [name, url] of [['runs', report], ['dispatch', dispatch], ['sweep', sweep]]) {
  test(`${name}: nothing is asked for, nothing goes wrong`, async () => {
    const { page, problems, requests } = await open(browser, url);
    assert.ok(await page.locator('figure.chart').count() > 0);
    assert.deepEqual(problems, []);
    assert.deepEqual(requests.filter(r => r !== url && !r.startsWith('data:')), []);
  });

  test(`${name}: fits a phone, light and dark, and axe finds nothing serious`, async () => {
    for (const colorScheme of ['light', 'dark']) {
      const { page } = await open(browser, url, { viewport: { width: 390, height: 844 }, colorScheme });
      assert.ok(await overflow(page) <= 0);
      assert.deepEqual(await accessibility(page), []);
      const paper = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      assert.equal(paper, colorScheme === 'dark' ? 'rgb(18, 24, 31)' : 'rgb(255, 255, 255)');
    }
  });
}

test('the pointer reads the numbers, in every chart over the same time', async () => {
  const { page } = await open(browser, report, { viewport: { width: 1200, height: 900 } });
  const area = page.locator('figure.chart[data-file=wealth] .area');
  await area.scrollIntoViewIfNeeded();
  const box = await area.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 50);
  const tip = await page.locator('.tip').innerText();
  assert.match(tip, /^\d{4}-\d\d-\d\d/);
  assert.ok(await page.locator('.hair').count() > 2);
  await page.mouse.move(2, 2);
  assert.equal(await page.locator('.tip').count(), 0);
});

test('a series is switched off in all charts, by keyboard too', async () => {
  const { page } = await open(browser, report);
  const button = page.locator('figure.chart[data-file=wealth] button[data-name]').first();
  const name = await button.getAttribute('data-name');
  const visible = () => page.evaluate(n => [...document.querySelectorAll('path[data-kind=line]')]
    .filter(p => p.dataset.series === n && p.style.display !== 'none').length, name);
  const all = await visible();
  assert.ok(all >= 4);
  await button.focus();
  await page.keyboard.press('Enter');
  assert.equal(await button.getAttribute('aria-pressed'), 'false');
  assert.equal(await visible(), 0);
  await page.keyboard.press('Space');
  assert.equal(await visible(), all);
});

// The lines of the file that a button saves.
async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator(button).click()]);
  return (await readFile(await download.path(), 'utf8')).trim().split('\n');
}

test('a map: zones are read by pointer and finger and by name, and the CSV has them all', async () => {
  for (const options of [{ viewport: { width: 1200, height: 900 } }, { viewport: { width: 390, height: 844 }, hasTouch: true }]) {
    const { page, context } = await open(browser, dispatch, options);
    const bubbles = page.locator('.map .bubble');
    assert.equal(await bubbles.count(), 19);
    assert.match(await page.locator('p.note', { hasText: 'no coordinates' }).innerText(), /: \w+\.$/);
    const smallest = bubbles.last();
    await smallest.scrollIntoViewIfNeeded();
    if (options.hasTouch) await smallest.tap(); else await smallest.hover();
    const said = await smallest.getAttribute('aria-label');
    assert.match(said, /^Zone \w+ \(\w+\); demand [\d.]+ %; fleet [\d.]+ %, [\d.]+ of that; served [\d.]+ %$/);
    assert.equal((await page.locator('.tip').innerText()).replaceAll('\n', '; '), said);
    assert.ok(await overflow(page) <= 0);
    await context.close();
  }
  const { page } = await open(browser, dispatch);
  const lines = await saved(page, 'button[data-table=zones]');
  assert.equal(lines.length, 21);
  assert.match(lines[0], /^zone,name,lon,lat,.* demand",.* fleet",.* served_rate"$/);
  const rows = lines.slice(1).map(line => line.split(','));
  for (const column of [4, 5]) assert.ok(Math.abs(rows.reduce((sum, row) => sum + Number(row[column]), 0) - 1) < 2e-5);
  assert.deepEqual(rows.filter(row => row[1] === '').length, 1);
  // The chart's own file has the same zones, by name.
  const chart = (await saved(page, 'figure.chart[data-file=fleet_by_zone] button.csv')).slice(1).map(line => line.split(','));
  assert.deepEqual(chart.map(row => row[0]), rows.map(row => row[1] ? `${row[1]} (${row[0]})` : row[0]));
  for (const [i, row] of chart.entries()) assert.ok(Math.abs(Number(row[2]) - Number(rows[i][5])) < 1e-4, row.join());
});

test('CSV files hold what is drawn, and the exact returns', async () => {
  const { page } = await open(browser, report);
  const wealth = await saved(page, 'figure.chart[data-file=wealth] button.csv');
  const returns = await saved(page, 'button[data-table]');
  assert.equal(wealth.length, returns.length);
  const number = (line, column) => Number(line.split(',')[column]);
  // Wealth of the first run is the mean over its seeds of the products of 1 + return.
  const seeds = returns[0].split(',').slice(1).filter(n => n.startsWith(returns[0].split(',')[1].replace(/ seed.*/, ''))).length;
  let grown = Array(seeds).fill(1);
  for (let i = 1; i < returns.length; ++i) {
    grown = grown.map((w, k) => w * (1 + number(returns[i], k + 1)));
    const mean = grown.reduce((a, b) => a + b) / seeds;
    const shown = Number(wealth[i].match(/^[^,]*,([^,]*)/)[1]);
    assert.ok(Math.abs(shown - mean) < 2e-3 * mean, `${wealth[i]} ${mean}`);
  }
});

test('printed, it has no bitmap', async () => {
  const { page } = await open(browser, report);
  const pdf = (await page.pdf()).toString('latin1');
  assert.ok(pdf.startsWith('%PDF'));
  assert.ok(!/\/Subtype\s*\/Image/.test(pdf));
});

function ask(port, { method = 'GET', path = '/', host = `127.0.0.1:${port}` } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers: { host, 'accept-encoding': 'br, gzip' } }, answer => {
      answer.resume();
      answer.on('end', () => resolve(answer));
    });
    sent.on('error', reject);
    sent.end();
  });
}

test('the live window shows the sweep, reads only, and knows its own name alone', async t => {
  const server = spawn(process.env.SOFTRADIAL, ['serve', '--store', process.env.STORE, '--port', '0']);
  try {
    const port = await new Promise((resolve, reject) => {
      server.stderr.on('data', text => {
        const found = /127\.0\.0\.1:(\d+)/.exec(text);
        if (found) resolve(Number(found[1]));
      });
      server.on('exit', () => reject(new Error('the server ended')));
    });
    const url = `http://127.0.0.1:${port}/`;
    const { page, problems, requests } = await open(browser, url);
    assert.match(await page.locator('h1').innerText(), /Sweep/);
    await page.waitForRequest(r => r.url() === url + 'version');
    assert.deepEqual(problems, []);
    assert.ok(requests.every(r => r.startsWith(url) || r.startsWith('data:')));
    assert.deepEqual(await accessibility(page), []);
    const answered = await ask(port);
    assert.equal(answered.statusCode, 200);
    assert.equal(answered.headers['content-encoding'], undefined, 'compressing takes longer than it saves on this machine');
    const { responseStart, loadEventEnd } = await page.evaluate(() => performance.getEntriesByType('navigation')[0].toJSON());
    t.diagnostic(`answered after ${responseStart.toFixed(0)} ms, loaded after ${loadEventEnd.toFixed(0)} ms`);
    assert.equal((await ask(port, { host: 'example.org' })).statusCode, 403);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) assert.equal((await ask(port, { method })).statusCode, 405);
    assert.equal((await ask(port, { path: '/../etc/passwd' })).statusCode, 404);
    assert.equal((await ask(port)).headers['access-control-allow-origin'], undefined);
  } finally {
    server.kill();
  }
});
