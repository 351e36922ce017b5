import type { Page } from 'playwright-core';

/** More than any page has. */
const mostPresses = 150;

/** Presses Tab until what has this name has the focus, as a person without a mouse does. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < mostPresses; presses += 1) {
    const focused = await page.locator('*:focus').ariaSnapshot();
    if (focused.includes(`"${name}"`)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${name}`);
}
