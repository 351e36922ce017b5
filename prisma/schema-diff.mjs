// Prints the SQL that leads from an older schema file (or from nothing) to prisma/schema.prisma, with no database and no
// download: the starting point of a migration. Usage: node prisma/schema-diff.mjs [older-schema.prisma]
// Partitions, partial indexes and storage settings are then added to that SQL by hand, each with its reason.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as runtime from '@prisma/schema-engine-wasm/schema_engine_bg';

const target = path.join(import.meta.dirname, 'schema.prisma');
const [older] = process.argv.slice(2);

const enginePath = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
const wasm = await readFile(path.join(path.dirname(enginePath), 'schema_engine_bg.wasm'));
const { instance } = await WebAssembly.instantiate(wasm, { './schema_engine_bg.js': runtime });
runtime.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start();

// The engine asks its adapter for a version once, even when both sides are files.
const connection = {
  provider: 'postgres',
  adapterName: 'files-only',
  executeRaw: async () => 0,
  executeScript: async () => {},
  dispose: async () => {},
  getConnectionInfo: () => ({ schemaName: 'public', supportsRelationJoins: true }),
  startTransaction: async () => {
    throw new Error('schema-diff reads files only');
  },
  queryRaw: async () => ({
    columnNames: ['exists', 'version', 'numeric_version'],
    columnTypes: [ColumnTypeEnum.Boolean, ColumnTypeEnum.Text, ColumnTypeEnum.Int32],
    rows: [[true, 'PostgreSQL 15.0', 150000]],
  }),
};
const adapter = bindMigrationAwareSqlAdapterFactory({
  provider: 'postgres',
  adapterName: 'files-only',
  connect: async () => connection,
  connectToShadowDb: async () => connection,
});
const schemaFile = async (file) => ({
  tag: 'schemaDatamodel',
  files: [{ path: path.resolve(file), content: await readFile(file, 'utf8') }],
});

const engine = await runtime.SchemaEngine.new({ datamodels: undefined }, () => {}, adapter);
const { stdout } = await engine.diff({
  from: older ? await schemaFile(older) : { tag: 'empty' },
  to: await schemaFile(target),
  script: true,
  exitCode: null,
  filters: { externalTables: [], externalEnums: [] },
});
process.stdout.write(stdout);
