import { env } from 'node:process';
import chromium from '@sparticuz/chromium';
import { forThisFile } from '@callout/testing';
import { chromium as launcher, type Browser, type Page } from 'playwright-core';

export interface BrowserUnderTest {
  /** Opens a page in a context of its own: no cookie of another page. */
  page(options?: { readonly colorScheme?: 'light' | 'dark' }): Promise<Page>;
}

/**
 * A headless Chromium for the tests of a file: the one that CHROME_PATH names, else the one that comes with npm, which is
 * unpacked once on each machine.
 */
export function useBrowser(): BrowserUnderTest {
  let browser: Browser;
  return forThisFile(
    async () => {
      const own = env['CHROME_PATH'];
      const executablePath = own === undefined || own === '' ? await chromium.executablePath() : own;
      browser = await launcher.launch({ executablePath, args: ['--no-sandbox'], headless: true });
      return {
        async page({ colorScheme = 'light' } = {}) {
          const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 800 } });
          context.setDefaultTimeout(60_000);
          return context.newPage();
        },
      };
    },
    () => browser.close(),
  );
}
