import { z } from 'zod';
import { key, listOf } from '../kinds/key.ts';

/** Valid for `frame-ancestors`: none of its characters may end the directive. */
const ORIGIN = /^https?:\/\/(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/u;

/** The keys of the console, which the API process serves. */
export const consoleConfig = z.object({
  CONSOLE_PORTAL_ORIGINS: key<readonly string[]>({
    description:
      'Origins of the pages that may show `/console/portal` in a frame, the target of portal links. Without it no page may show the console in a frame.',
    accepts: 'a comma-separated list of origins such as https://app.example.com or https://*.example.com',
    whenAbsent: [],
    read: (text) => listOf(ORIGIN, 'origin')(text.toLowerCase()),
  }),
});
