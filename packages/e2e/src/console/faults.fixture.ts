import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Waits until a page is drawn and reads nothing any more. A page that is live never has an idle network. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('main').waitFor();
  await page.locator('main :is(h1, h2, h3, p)').first().waitFor();
  await page.locator('[aria-busy=true], .mantine-Loader-root').first().waitFor({ state: 'detached' });
}

/** Evaluated as text, since it is about the types of a browser. */
const transitionsEnd = `Promise.allSettled(
  document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished),
).then(() => undefined)`;

/** What axe finds serious on a page. It is evaluated by the test, where the page's policy lets no other script in. */
export async function faultsOf(page: Page): Promise<object[]> {
  // What still fades in has less contrast than it will have.
  await page.evaluate(transitionsEnd);
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as never as { axe: Axe }).axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html.slice(0, 200)) }));
  });
}

interface Axe {
  run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
}
