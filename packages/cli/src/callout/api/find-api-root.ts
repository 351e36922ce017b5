import { Problem } from '@callout/core/errors';
import { Unreachable } from './unreachable.ts';

/** Most installations have the root of the specification. */
const usualRoot = '/atservicesrest';

/**
 * The root of the API at a URL that a person gave: people leave the root out, or give the version along.
 * @throws Unreachable; a Problem 400 where there is no Callout API.
 */
export async function findApiRoot(given: string): Promise<string> {
  if (!URL.canParse(given) || !/^https?:/u.test(given)) {
    throw Problem.invalid(`--url must be an http or https URL, such as https://callout.example.com${usualRoot}`);
  }
  const url = given.replace(/[?#].*$/u, '').replace(/(?:\/v1\.0)?\/*$/iu, '');
  for (const root of [url, `${url}${usualRoot}`]) if (await isApi(root)) return root;
  throw Problem.invalid(
    `${url} is not a Callout API: --url ends with the API root, such as https://callout.example.com${usualRoot}`,
  );
}

/** Whether the API says its version there; that needs no credential. */
async function isApi(root: string): Promise<boolean> {
  const url = `${root}/v1.0/Version`;
  const response = await fetch(url, { redirect: 'manual' }).catch((error: unknown) => {
    throw new Unreachable(url, error);
  });
  const version: unknown = await response.json().catch(() => undefined);
  // An API that is up and cannot answer now is one all the same: the sign-in says why.
  if (response.status === 429 || response.status === 503) return true;
  return typeof version === 'object' && version !== null && 'apiVersion' in version;
}
