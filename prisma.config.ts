import { fileURLToPath } from 'node:url';
import { defineConfig } from 'prisma/config';

// `prisma generate | validate | format` never use the schema engine, yet the CLI insists on having it (and downloads it)
// before any command. Naming any existing file lets these three work offline; `migrate` is left alone.
if (['generate', 'validate', 'format'].includes(process.argv[2] ?? '')) {
  process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= fileURLToPath(import.meta.url);
}

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? '' },
});
