import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { rolesTable } from './roles-table.ts';

const document = path.resolve(import.meta.dirname, '../../../../../docs/roles.md');
/** Cells without the padding and the dashes by which the document is formatted. */
const cells = (table: string) => table.replaceAll(/ *\| */g, '|').replaceAll(/-{3,}/g, '---');

describe('rolesTable', () => {
  it('shows the rights that the endpoints check', () => {
    const lines = rolesTable().split('\n');
    expect(lines[0]).toBe('| May | `integrator` | `source` | `admin` |');
    expect(lines).toContain('| Webhooks and their fields | read, write | – | read, write |');
    expect(lines).toContain('| Records | read | read, write | read, write |');
    expect(lines).toContain('| Events | read | read, write | read, write |');
  });

  it('is the table in docs/roles.md', async () => {
    expect(cells(await readFile(document, 'utf8'))).toContain(cells(rolesTable()));
  });
});
