import { createOperatorClient } from '@callout/client';
import { CannotGoOn, reasonOf } from '../cannot-go-on.ts';
import type { DemoTenant } from '../tenant/demo-tenant.ts';

/** Where the console is, and links that sign in, once each. */
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

/** On this machine alone there is time to read the output first. */
const expiresInSeconds = 3_600;

/** Asks the operator API for links; undefined where there is no console, or where it was not built. */
export async function consoleLinks(deps: ConsoleLinkDeps): Promise<ConsoleLinks | undefined> {
  const { origin, operatorOrigin, operatorToken, demo } = deps;
  const page = await fetch(`${origin}/console`);
  await page.arrayBuffer();
  if (!page.ok) return undefined;

  const operator = createOperatorClient({ baseUrl: `${operatorOrigin}/operator/v1`, token: operatorToken });
  // Local services are reached here, with any public address of the installation.
  const linkAt = (base: string, url: string): string => `${base}/console${new URL(url, base).hash}`;

  async function member(role: 'integrator' | 'admin'): Promise<string> {
    const { data } = await operator.POST('/tenants/{tenantId}/signInLinks', {
      params: { path: { tenantId: demo.tenantId } },
      body: { userName: demo.credentials[role].userName, expiresInSeconds },
    });
    return linkAt(origin, data.item.url);
  }

  try {
    const { data } = await operator.POST('/signInLinks', { body: { expiresInSeconds } });
    return {
      url: `${origin}/console`,
      operatorUrl: `${operatorOrigin}/console`,
      links: {
        integrator: await member('integrator'),
        admin: await member('admin'),
        operator: linkAt(operatorOrigin, data.item.url),
      },
    };
  } catch (cause) {
    throw new CannotGoOn(`${operatorOrigin} makes no link to the console: ${reasonOf(cause)}`, { cause });
  }
}
