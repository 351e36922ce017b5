import { tidyApiRoot, usualRoot } from '@callout/client';
import { Problem } from '@callout/domain/problem/problem';
import { Unreachable } from './unreachable.ts';

/**
 * The root of the API at a URL from a person, who may have omitted the root, or added the version or a page of the
 * console.
 * @throws Unreachable; a Problem 400 where there is no Callout API.
 */
export async function findApiRoot(given: string): Promise<string> {
  if (!URL.canParse(given) || !/^https?:/u.test(given)) {
    throw Problem.invalid(`--url must be an http or https URL, such as https://callout.example.com${usualRoot}`);
  }
  const url = tidyApiRoot(given);
  for (const root of [url, `${url}${usualRoot}`]) if (await isApi(root)) return root;
  throw Problem.invalid(
    `${url} is not a Callout API: --url ends with the API root, such as https://callout.example.com${usualRoot}`,
  );
}

/** Whether an API responds with its version there; that needs no credential. */
async function isApi(root: string): Promise<boolean> {
  const url = `${root}/v1.0/Version`;
  const response = await fetch(url, { redirect: 'manual' }).catch((error: unknown) => {
    throw new Unreachable(url, error);
  });
  const version: unknown = await response.json().catch(() => undefined);
  // An API without a useful response at present is an API all the same: the authentication reports the reason.
  if (response.status === 429 || response.status === 503) return true;
  return typeof version === 'object' && version !== null && 'apiVersion' in version;
}
