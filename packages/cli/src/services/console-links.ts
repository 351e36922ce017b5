import { CannotGoOn } from '../cannot-go-on.ts';
import type { DemoTenant } from '../tenant/demo-tenant.ts';

/** Where the console is, and links that each sign one in, once. */
export interface ConsoleLinks {
  readonly url: string;
  readonly operatorUrl: string;
  readonly links: { readonly integrator: string; readonly admin: string; readonly operator: string };
}

interface ConsoleLinkDeps {
  /** Scheme, host and port of the API. */
  readonly origin: string;
  /** The same of the operator API. */
  readonly operatorOrigin: string;
  readonly operatorToken: string;
  readonly demo: DemoTenant;
}

/** On this machine alone there is time to read what was printed first. */
const expiresInSeconds = 3_600;

/** Asks the operator API for links; undefined where there is no console, or where it was not built. */
export async function consoleLinks(deps: ConsoleLinkDeps): Promise<ConsoleLinks | undefined> {
  const { origin, operatorOrigin, operatorToken, demo } = deps;
  const page = await fetch(`${origin}/console`);
  await page.arrayBuffer();
  if (!page.ok) return undefined;

  async function link(path: string, base: string, body: Readonly<Record<string, unknown>>): Promise<string> {
    const response = await fetch(`${operatorOrigin}/operator/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${operatorToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...body, expiresInSeconds }),
    });
    const text = await response.text();
    if (!response.ok) throw new CannotGoOn(`${operatorOrigin} makes no link to the console: ${text}`);
    const { item } = JSON.parse(text) as { item: { url: string } };
    // What runs here is reached here, whatever address the installation is known by.
    const { hash } = new URL(item.url, base);
    return `${base}/console${hash}`;
  }

  const member = (role: 'integrator' | 'admin') =>
    link(`/tenants/${demo.tenantId}/signInLinks`, origin, { userName: demo.credentials[role].userName });
  return {
    url: `${origin}/console`,
    operatorUrl: `${operatorOrigin}/console`,
    links: {
      integrator: await member('integrator'),
      admin: await member('admin'),
      operator: await link('/signInLinks', operatorOrigin, {}),
    },
  };
}
