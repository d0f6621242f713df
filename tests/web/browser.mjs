// A page of ours in Debian's Chromium, watched: whatever it prints to the console and whatever it asks for is kept.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync',
      '--no-first-run'],
  });
}

// `options` are those of a browser context: viewport, colorScheme, ...
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ acceptDownloads: true, bypassCSP: true, ...options });
  const page = await context.newPage();
  const problems = [];
  const requests = [];
  page.on('console', message => { if (message.type() === 'error') problems.push(message.text()); });
  page.on('pageerror', error => problems.push(String(error)));
  page.on('request', request => requests.push(request.url()));
  await page.goto(url);
  return { page, context, problems, requests };
}

// What axe-core calls serious or critical.
export async function accessibility(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run());
  return found.violations
    .filter(v => v.impact === 'serious' || v.impact === 'critical')
    .map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => n.html).join(' | ')}`);
}

export const overflow = page => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
