import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { sharedPostgres } from './ask-services.ts';
import { createDisposableDatabase } from './disposable-database.ts';

// One template serves the whole run, and others need it with their tables: this one adds nothing of its own to it.
async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const tables = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query("SELECT tablename FROM pg_tables WHERE tablename IN ('notes', 'mine')");
    return rows;
  });
