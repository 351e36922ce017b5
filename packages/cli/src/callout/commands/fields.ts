import type { Command } from 'commander';
import { openApi } from '../api/open-api.ts';
import type { CommandContext } from '../context.ts';
import { entityNamed, readCatalogue } from '../input/webhook-named.ts';
import { show, table } from '../show/show.ts';
import { udfChoices } from '../webhooks/children.ts';

const columns = ['name', 'type', 'description'];

/** `callout fields` */
export function addFieldsCommand(program: Command, context: CommandContext): void {
  program
    .command('fields')
    .description('show the fields that webhooks of an entity can watch and send, user-defined ones too')
    .argument('<entity>', 'such as Company')
    .addHelpText(
      'after',
      `
Examples:
  $ callout fields Company
  $ callout fields Ticket --json`,
    )
    .action(async (named: string, _options: unknown, command: Command) => {
      const entity = entityNamed(await readCatalogue(context), named);
      const { client } = await openApi(context, command);
      const udfs = await udfChoices(client, entity);
      const fields = [
        ...entity.fields
          .filter((field) => field.isSupportedWebhookField)
          .map(({ name, dataType, description }) => ({ name, type: dataType, description, isUserDefined: false })),
        ...udfs.map(({ name, label }) => ({ name, type: 'user-defined', description: label, isUserDefined: true })),
      ];
      const text = table(
        fields,
        columns,
        `A ${entity.singular} has no fields that webhooks can name.`,
        context.out.columns,
      );
      show(context, command, { data: fields, text });
    });
}
