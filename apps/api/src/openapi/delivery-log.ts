import type { Description, Descriptions } from './description.ts';

const calloutFilters = ['state', 'recordID', 'action', 'kind', 'since', 'until'] as const;
const numberFilters = ['fromSequence', 'toSequence'] as const;
const eventFilters = ['eventID', 'entityType', 'action', 'recordID', 'resourceID', 'since', 'until'] as const;

const anotherPage: Description = {
  summary: 'Read another page of a list',
  description: 'Its address is in the pageDetails of the page before or after; the token holds the filters.',
  response: 'callouts',
  query: ['paging'],
};
const anotherEventPage: Description = { ...anotherPage, response: 'eventLog' };

const readCallout: Description = {
  summary: 'Read a callout with its body and every attempt',
  description:
    'Both sides of each exchange: headers (signatures redacted), status, and the first 64 KiB of the answer, as text where it is UTF-8 and else in base64; or why no answer came. pauses says when the webhook was paused meanwhile.',
  response: 'callout',
};

/** What the delivery log shows of the webhooks of every entity. */
export const webhookLogDescriptions: Descriptions = {
  '/:id/Callouts': {
    GET: {
      summary: 'List the callouts of {one}, newest first',
      description:
        'waitsFor says why an open callout is not delivered yet. A filter that is looked for too long is refused: narrow it with since and until, or fromSequence and toSequence.',
      response: 'callouts',
      query: [...calloutFilters, ...numberFilters, 'maxRecords'],
    },
  },
  '/:id/Callouts/query/count': {
    GET: { summary: 'Count the callouts of {one}', response: 'count', query: [...calloutFilters, ...numberFilters] },
  },
  '/:id/Callouts/query/next': { GET: anotherPage, POST: anotherPage },
  '/:id/Callouts/:calloutID': { GET: readCallout },
  '/:id/simulate': {
    POST: {
      summary: 'What a hypothetical event would make {one} do',
      description:
        'The verdict with the value of every rule, and the request that would go out, with its signatures redacted. What the service knows of the record counts, as for a real event. Nothing is stored or sent.',
      request: 'simulate',
      response: 'simulation',
    },
  },
  '/:id/readiness': {
    GET: { summary: 'Whether {one} gets callouts, and each reason why not', response: 'readiness' },
  },
};

/** What the delivery log shows of a tenant. */
export const tenantLogDescriptions: Descriptions = {
  '/Callouts': {
    GET: {
      summary: 'List the callouts of all webhooks, newest first',
      description: 'Those of deleted webhooks, and the calls to deactivationUrl, are among them.',
      response: 'callouts',
      query: [...calloutFilters, 'webhookGUID', 'entityType', 'maxRecords'],
    },
  },
  '/Callouts/query/count': {
    GET: {
      summary: 'Count the callouts of all webhooks',
      response: 'count',
      query: [...calloutFilters, 'webhookGUID', 'entityType'],
    },
  },
  '/Callouts/query/next': { GET: anotherPage, POST: anotherPage },
  '/Callouts/:calloutID': { GET: readCallout },
  '/CalloutThresholds': {
    GET: {
      summary: 'How much of its hourly threshold each entity uses, and what it holds',
      description: 'First attempts in the last 3,600 seconds; a limit of 0 is none.',
      response: 'thresholds',
    },
  },
  '/EntityEvents/query': {
    GET: {
      summary: 'List events, newest first',
      description: 'A filter that is looked for too long is refused: narrow it with since and until.',
      response: 'eventLog',
      query: [...eventFilters, 'maxRecords'],
    },
  },
  '/EntityEvents/query/count': { GET: { summary: 'Count events', response: 'count', query: eventFilters } },
  '/EntityEvents/query/next': { GET: anotherEventPage, POST: anotherEventPage },
  '/EntityEvents/:eventID': {
    GET: {
      summary: 'Read an event, and what came of it for every webhook',
      description:
        'By the eventID of its caller, or that of the service. An update that changed nothing made no event: it reads as unchanged for a day.',
      response: 'event',
    },
  },
  '/EntityEvents/:eventID/explain': {
    GET: {
      summary: 'Why an event owed a webhook a callout, or did not',
      description:
        'The verdict as it was stored, and whether the configuration of the webhook has changed since. Where it has not, every rule is shown with its value.',
      response: 'explanation',
      query: ['webhookGUID'],
    },
  },
};
