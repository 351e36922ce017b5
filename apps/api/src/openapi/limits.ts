import { maxHeaderSize } from 'node:http';
import { maxConditions, maxFilterDepth, maxOrBranches, maxPageSize } from '@callout/core/query';
import { mostPageBytes } from '@callout/db/search';
import { MAX_DEPTH } from '../http/body/json-shape.ts';
import { MAX_EVENTS } from '../ingest/events/event-batch.ts';

/** What holds for every request, in Markdown: bounds, and the statuses that come before an operation gets to see it. */
export function limits(): string {
  return [
    `- Address and headers of a request: ${maxHeaderSize} bytes together, else 431. A long query goes as the body of \`POST …/query\`.`,
    `- A body: as many bytes as its operation says, ${MAX_DEPTH} levels of nesting.`,
    `- \`POST /EntityEvents\`: ${MAX_EVENTS} events.`,
    `- A page: ${maxPageSize} rows, and for records ${mostPageBytes} bytes of stored JSON; it may have fewer rows than were asked for while another page follows.`,
    `- A filter: ${maxConditions} conditions, ${maxFilterDepth} levels of groups, ${maxOrBranches} items of \`or\` groups and values of \`in\` together.`,
    '- Requests per hour and tenant, queries and answers at the same time: above them 429 with `Retry-After`. `GET /ThresholdInformation` tells the first.',
    '- Any path may answer 400 to what is no HTTP (two `Host` headers, a `Transfer-Encoding` other than `chunked`), 405 to a method that it does not have, with `Allow`, and 417 to an `Expect` other than `100-continue`.',
  ].join('\n');
}
