import { CannotGoOn } from '../../cannot-go-on.ts';

/** No answer is as long that is kept in memory: pages of records and of the delivery log have some megabytes. */
const mostBytes = 64 * 1024 * 1024;
/** Written to a file while being read, whatever the length. */
const isStreamed = /\/Callouts\/export$/u;

/** A response whose reading fails with a CannotGoOn when the body becomes longer than any body of the API. */
export function boundedAnswer(response: Response, url: string): Response {
  if (response.body === null || isStreamed.test(new URL(url).pathname)) return response;
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= mostBytes) controller.enqueue(chunk);
      else controller.error(tooLong(url));
    },
  });
  return new Response(response.body.pipeThrough(counted), response);
}

function tooLong(url: string): CannotGoOn {
  const most = mostBytes / 1024 / 1024;
  return new CannotGoOn(
    `${new URL(url).host} sent an answer of more than ${most} MB, which no command reads: ask for less, such as with --limit, or check the URL that you signed in with (\`callout whoami\`).`,
  );
}
