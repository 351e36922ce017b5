import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';

/** For `useCallout`: an operator API on any free port. */
export const operatorToken = randomBytes(24).toString('base64url');
export const operatorSettings = { OPERATOR_TOKEN: operatorToken, OPERATOR_PORT: '0' };

/**
 * Signs in as an operator does, and waits for the first page.
 * @param url where the operator API listens.
 */
export async function signInAsOperator(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/console`);
  await page.getByRole('textbox', { name: 'Operator token' }).fill(operatorToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Status' }).waitFor();
}
