import { z } from 'zod';
import { key, listOf } from '../kinds/key.ts';

/** Valid for `frame-ancestors`: no character may end the directive. */
const ORIGIN = /^https?:\/\/(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/u;

/** The keys of the console, which the API process serves. */
export const consoleConfig = z.object({
  CONSOLE_PORTAL_ORIGINS: key<readonly string[]>({
    description:
      'Origins of the pages that may show `/console/portal`, the target of portal links, in a frame; no other page may.',
    accepts: 'a comma-separated list of origins such as https://app.example.com or https://*.example.com',
    whenAbsent: [],
    read: (text) => listOf(ORIGIN, 'origin')(text.toLowerCase()),
  }),
});
