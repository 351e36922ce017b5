import { describe, expect, it } from '@jest/globals';
import { createClient } from './client.ts';
import { listAll } from './pages.ts';

describe('the rows of a list', () => {
  it.each(['https://callout.example.com', ''])('are read page by page, with pages at "%s"', async (origin) => {
    const asked: string[] = [];
    const client = createClient({
      baseUrl: 'http://callout.internal/atservicesrest',
      fetch: async ({ url }) => {
        asked.push(url);
        const nextPageUrl = asked.length === 1 ? `${origin}/atservicesrest/v1.0/Callouts?page=2` : null;
        return Response.json({ items: [{ id: `${asked.length}` }], pageDetails: { nextPageUrl } });
      },
    });
    const ids: unknown[] = [];
    for await (const { id } of listAll(client, '/v1.0/Callouts', { query: { state: 'failed' } })) {
      ids.push(id);
    }
    expect(ids).toEqual(['1', '2']);
    expect(asked).toEqual([
      'http://callout.internal/atservicesrest/v1.0/Callouts?state=failed',
      'http://callout.internal/atservicesrest/v1.0/Callouts?page=2',
    ]);
  });
});
