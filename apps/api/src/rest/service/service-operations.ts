import { z } from 'zod';
import type { OperationSchema } from '../../http/operation/operation-schema.ts';
import type { Tag } from '../../http/operation/tags.ts';
import { text, whole } from '../../http/operation/wire-types.ts';

const tag: Tag = {
  name: 'Service',
  group: 'Administer',
  description: 'The API itself: versions, address, limits.',
};

export const versionOperation: OperationSchema = {
  tag,
  id: 'getVersion',
  summary: 'The version of the API',
  responses: {
    200: {
      description: 'The version of the API in words and in numbers, and that of Callout itself (`build`).',
      schema: z.object({
        apiVersion: text.describe('The version of the API.'),
        majorVersion: whole.describe('The first number of the version.'),
        minorVersion: whole.describe('The second number of the version.'),
        build: text.describe('The build of the service.'),
      }),
    },
  },
};

export const versionsOperation: OperationSchema = {
  tag,
  id: 'getVersionInformation',
  summary: 'The versions of the API',
  responses: {
    200: {
      description: 'The versions.',
      schema: z.object({ apiVersions: z.array(text).describe('The versions of the API.') }),
    },
  },
};

export const zoneOperation: OperationSchema = {
  tag,
  id: 'getZoneInformation',
  summary: 'The address under which a user reaches the API',
  description:
    'An unknown user gets the default zone; with `ZONE_OF_UNKNOWN_USERS=none`, 500 `Zone information could not be determined`.',
  query: z.object({ user: text.describe('The user name.') }),
  responses: {
    200: {
      description: 'The zone.',
      schema: z.object({
        zoneName: text.describe('The name of the zone.'),
        url: text.describe('The address that requests begin with.'),
        webUrl: text.describe('The address for browsers.'),
        ci: whole.describe('The number of the zone.'),
      }),
    },
  },
};

export const egressOperation: OperationSchema = {
  tag,
  id: 'getEgressAddresses',
  summary: 'The addresses that callouts come from',
  description:
    'For receivers that let in only known addresses; no credentials are needed. Callouts of another zone come from other addresses: ask there.',
  responses: {
    200: {
      description: 'The addresses, as the operator has set them.',
      schema: z.object({
        addresses: z
          .array(text)
          .describe('Ranges such as `203.0.113.7/32` and `2001:db8:7::/64`; empty: the operator has named none.'),
      }),
    },
  },
};

export const thresholdOperation: OperationSchema = {
  tag,
  id: 'getThresholdInformation',
  summary: 'The limit of requests per hour, and how many were counted',
  responses: {
    200: {
      description: 'The limit (0 = no limit), the period in minutes, and the requests in the period.',
      schema: z.object({
        externalRequestThreshold: whole.describe('Requests that are allowed in the timeframe; 0: no limit.'),
        requestThresholdTimeframe: whole.describe('The timeframe in minutes.'),
        currentTimeframeRequestCount: whole.describe('Requests that were counted in it.'),
      }),
    },
  },
};
