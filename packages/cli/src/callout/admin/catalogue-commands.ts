import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import type { CatalogueChange } from '@callout/domain/catalogue/diff-catalogues.rules';
import type { Catalogue, EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { catalogueConfig } from '@callout/runtime/config/command-line';
import { parseConfig } from '@callout/runtime/config/parse';
import { CannotGoOn } from '../../cannot-go-on.ts';
import type { CommandContext } from '../context.ts';
import { show, table } from '../show/show.ts';
import { hasSetting, withDatabase } from './database.ts';

const help = `
A catalogue is a directory with one JSON file per entity, which CATALOGUE_DIR names for API and workers. The directory
stands in place of companies, contacts and the other records that come with Callout; \`--with-built-in\` copies their
files. docs/your-records.md explains the files.

Examples:
  $ callout admin catalogue init Order --field status:string --field total:decimal
  $ callout admin catalogue check catalogue
  $ callout admin catalogue diff catalogue --from /srv/callout/catalogue`;

/** `callout admin catalogue …`: works on files; only \`diff\` reads the database, where \`DATABASE_URL\` is set. */
export function addCatalogueCommands(admin: Command, context: CommandContext): void {
  const group = admin
    .command('catalogue')
    .description('the entities of an installation: make, check and compare catalogue files')
    .addHelpText('after', help);
  addInit(group, context);
  addCheck(group, context);
  addDiff(group, context);
}

interface InitOptions {
  readonly directory: string;
  readonly field: readonly string[];
  readonly withBuiltIn?: true;
}

function addInit(group: Command, context: CommandContext): void {
  group
    .command('init')
    .description('write the catalogue file of an entity, with the schema for your editor')
    .argument('<entity>', 'its name in the singular, such as Order')
    .option('--directory <directory>', 'the catalogue, made where it is not there yet', 'catalogue')
    .option(
      '--field <name:type>',
      'a field, such as total:decimal; repeat it for each',
      (one: string, fields: readonly string[]) => [...fields, one],
      [] as readonly string[],
    )
    .option('--with-built-in', 'copy the files of companies, contacts, configuration items, tickets and notes, too')
    .action(async (entity: string, options: InitOptions, command: Command) => {
      const { catalogueJsonSchema } = await import('@callout/domain/catalogue/catalogue-file');
      const { ownCatalogueDir } = await import('@callout/domain/catalogue/catalogue-dir');
      const { readCatalogueFiles } = await import('@callout/runtime/config/catalogue-files');
      const { parseCatalogue } = await import('@callout/domain/catalogue/parse-catalogue');
      const entityType = `${entity.charAt(0).toUpperCase()}${entity.slice(1)}`;
      const fields = options.field.map((one) => {
        const [name = '', dataType = 'string'] = one.split(':');
        return { name, dataType };
      });
      const file = {
        $schema: './catalogue.schema.json',
        entityType,
        fields:
          fields.length > 0 ? fields : [{ name: 'name', dataType: 'string', description: 'What people call it.' }],
      };
      const text = `${JSON.stringify(file, null, 2)}\n`;
      const own = await readCatalogueFiles(ownCatalogueDir, ownCatalogueDir);
      const made = usable(() => parseCatalogue([...own, { name: entityType, text }])).byEntityType(entityType);
      const name = `${made?.collection ?? entityType}.json`
        .replaceAll(/\B[A-Z]/g, (letter) => `-${letter}`)
        .toLowerCase();
      await mkdir(options.directory, { recursive: true });
      const files = [{ name, text }, ...(options.withBuiltIn ? own : [])];
      for (const one of files) await writeNew(path.join(options.directory, one.name), one.text);
      const schema = `${JSON.stringify(catalogueJsonSchema(), null, 2)}\n`;
      await writeFile(path.join(options.directory, 'catalogue.schema.json'), schema);
      const target = path.join(options.directory, name);
      show(context, command, {
        data: { file: target, entityType, collection: made?.collection },
        text: `${target} is written. Describe the fields in it, and run \`callout admin catalogue check ${options.directory}\`.`,
      });
    });
}

/** Writes a file that must not exist yet: a description made by hand is never overwritten. */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
    throw new CannotGoOn(`${file} is there already: change it by hand, or name another --directory.`);
  }
}

function addCheck(group: Command, context: CommandContext): void {
  group
    .command('check')
    .description('read a catalogue as API and workers do, and show what it gives')
    .argument('[directory]', 'the catalogue; CATALOGUE_DIR, where it is left out')
    .action(async (directory: string | undefined, _options: unknown, command: Command) => {
      const catalogue = await catalogueIn(context, directory);
      const rows = catalogue.entities.map(summaryOf);
      show(context, command, {
        data: rows,
        text: `${table(rows, ['entityType', 'records', 'webhooks', 'fields'], 'It has no entity.')}\nThe catalogue can be used.`,
      });
    });
}

function summaryOf({ entityType, collection, webhookCollection, fields }: EntityDefinition) {
  return { entityType, records: collection, webhooks: webhookCollection || null, fields: fields.length };
}

/** The order in which changes are shown. */
const effects = ['refused', 'loss', 'allowed'] as const;

function addDiff(group: Command, context: CommandContext): void {
  group
    .command('diff')
    .description('show what a changed catalogue means for stored webhooks and records')
    .argument('<directory>', 'the changed catalogue')
    .option('--from <directory>', 'the present one; CATALOGUE_DIR or the built-in catalogue, where it is left out')
    .addHelpText(
      'after',
      `
Each change is allowed; a loss, when something that is stored is no longer shown or sent; or refused, when stored data
would get another meaning: then the exit status is 1. Where DATABASE_URL is set, the webhooks concerned are counted.`,
    )
    .action(async (directory: string, options: { from?: string }, command: Command) => {
      const { diffCatalogues } = await import('@callout/domain/catalogue/diff-catalogues.rules');
      const before = await catalogueIn(context, options.from);
      const found = diffCatalogues(before, await catalogueIn(context, directory));
      const changes = effects.flatMap((effect) => found.filter((change) => change.effect === effect));
      const isCounted = hasSetting(context, 'DATABASE_URL');
      const rows = isCounted ? await withCounts(context, changes) : changes;
      const refused = changes.filter(({ effect }) => effect === 'refused').length;
      const advice = refused > 0 ? `\n${refused} of ${changes.length} changes must not be made.` : '';
      const columns = ['effect', 'entityType', ...(isCounted ? ['webhooks'] : []), 'text'];
      show(context, command, {
        data: rows,
        text: `${table(rows, columns, 'Nothing changes for stored webhooks and records.')}${advice}`,
        isIncomplete: refused > 0,
      });
    });
}

async function withCounts(context: CommandContext, changes: readonly CatalogueChange[]) {
  const { countWebhooksOf } = await import('@callout/tenancy/catalogue-use');
  return withDatabase(context, async (database) => {
    const rows = [];
    for (const change of changes) rows.push({ ...change, webhooks: await countWebhooksOf(database, change) });
    return rows;
  });
}

/** @param directory undefined: the one that `CATALOGUE_DIR` names, or the catalogue that is part of Callout. */
async function catalogueIn({ env }: CommandContext, directory: string | undefined): Promise<Catalogue> {
  const { ownCatalogueDir } = await import('@callout/domain/catalogue/catalogue-dir');
  const { readCatalogueFiles } = await import('@callout/runtime/config/catalogue-files');
  const { parseCatalogue } = await import('@callout/domain/catalogue/parse-catalogue');
  const named = directory ?? parseConfig(catalogueConfig, env).CATALOGUE_DIR ?? ownCatalogueDir;
  const files = await readCatalogueFiles(named, ownCatalogueDir).catch(refuse);
  return usable(() => parseCatalogue(files));
}

/** The catalogue, unless it cannot be used: that ends the command with its problems. */
function usable(parse: () => Catalogue): Catalogue {
  try {
    return parse();
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  throw new CannotGoOn((error as Error).message);
}
