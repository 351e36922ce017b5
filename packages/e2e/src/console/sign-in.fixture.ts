import type { TenantUnderTest } from '@callout/testing';
import type { Page } from 'playwright-core';

/**
 * Signs in as a person with a credential does, and waits for the first page.
 * @param url where the API listens.
 */
export async function signIn(
  page: Page,
  url: string,
  tenant: TenantUnderTest,
  role: 'integrator' | 'admin' = 'integrator',
): Promise<void> {
  const { userName, secret, apiIntegrationCode } = tenant[role];
  await page.goto(`${url}/console`);
  await page.getByRole('textbox', { name: 'User name' }).fill(userName);
  await page.getByRole('textbox', { name: 'Secret' }).fill(secret);
  await page.getByRole('textbox', { name: 'Integration code' }).fill(apiIntegrationCode);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}
