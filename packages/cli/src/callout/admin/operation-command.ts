import { Argument, type Command } from 'commander';
import { parametersOf, wordsOf, type Operation } from '@callout/domain/operations/operation';
import type { OperationName } from '@callout/domain/operations/operations';
import type { CommandContext } from '../context.ts';
import { ask, isConfirmed } from '../input/confirmed.ts';
import { show, showItem, showItems } from '../show/show.ts';
import { answers } from './answers.ts';
import { foundValues, givenValues, parsed } from './operation-values.ts';
import { addOptions, helpOf } from './operation-options.ts';
import { openOperator } from './operator/open-operator.ts';
import { allOf, partsOf, type Operate, type Values } from './operator/operate.ts';

/** Adds the command of an operation to its group: names, options, help and confirmation come from the description. */
export function addOperationCommand(
  group: Command,
  context: CommandContext,
  name: OperationName,
  operation: Operation,
): void {
  const { command: words, names = [], summary, description, confirmation, typed } = operation;
  const command = group.command(words.at(-1) ?? '').description(helpOf(summary));
  const parameters = parametersOf(operation);
  for (const one of names) {
    const parameter = parameters[one];
    if (parameter === undefined) throw new Error(`${words.join(' ')} names ${one}, which is no parameter`);
    const placeholder = one === 'credentialId' ? 'userName' : wordsOf(one).replaceAll(' ', '-');
    const argument = new Argument(`<${placeholder}>`, helpOf(parameter.description));
    command.addArgument(
      parameter.choices === undefined
        ? argument.argParser((text) => parsed(parameter, text))
        : argument.choices(Object.keys(parameter.choices)),
    );
  }
  const optionNames = addOptions(command, operation);
  if (typed !== undefined) command.option('--confirm <name>', 'the name again, to do it without being asked');
  else if (confirmation !== undefined) command.option('--yes', 'do it without being asked');
  if (description !== undefined) command.addHelpText('after', `\n${description}`);
  command.action(async () => {
    const typedValues = await givenValues(context, command, operation, optionNames);
    const operate = await openOperator(context, command);
    const { values, called, isDone } = await foundValues(operate, operation, typedValues);
    const confirmed = isDone ? called : await confirmedName(context, command, operation, called);
    if (confirmed === undefined) {
      show(context, command, { data: {}, text: 'Nothing was changed.', isIncomplete: true });
      return;
    }
    const request = typed === undefined ? values : { ...values, [typed]: confirmed };
    await carryOut({ context, command, operate, name, operation, called }, request);
  });
}

/** What was typed to confirm, or the name of the thing where nothing has to be typed; undefined: declined. */
async function confirmedName(
  context: CommandContext,
  command: Command,
  { confirmation, typed }: Operation,
  called: string,
): Promise<string | undefined> {
  const { confirm, yes } = command.opts<{ confirm?: string; yes?: true }>();
  if (confirmation === undefined) return called;
  const what = confirmation(called);
  if (typed === undefined) return (await isConfirmed(context, what, yes)) ? called : undefined;
  return confirm ?? (await ask(context, `${what}\nType its name to go on:`, `${what} Add --confirm with its name.`));
}

interface Carried {
  readonly context: CommandContext;
  readonly command: Command;
  readonly operate: Operate;
  readonly name: OperationName;
  readonly operation: Operation;
  /** What people call the thing. */
  readonly called: string;
}

interface Answer {
  readonly item?: object;
  readonly items?: readonly object[];
  readonly warnings?: readonly string[];
}

/** Carries an operation out, and shows its answer. */
async function carryOut({ context, command, operate, name, operation, called }: Carried, values: Values) {
  const showAnswer = answers[name];
  const { list, isBatched, method } = operation;
  if (showAnswer !== undefined) {
    const parts =
      isBatched === true ? await partsOf<Answer>(operate, name, values) : [await operate<Answer>(name, values)];
    show(
      context,
      command,
      await showAnswer(parts.map((part) => part.item ?? part.items ?? part) as never, context, operate),
    );
    return;
  }
  if (list !== undefined && method === 'GET' && list.mark !== 'all') {
    showItems(context, command, await allOf<object>(operate, name, values), list.columns, list.none);
    return;
  }
  const answer = await operate<Answer>(name, values);
  if (answer.items !== undefined && list !== undefined) {
    showItems(context, command, answer.items, list.columns, list.none);
    for (const warning of answer.warnings ?? []) context.out.report(warning);
    return;
  }
  const item = answer.item ?? answer;
  const done = operation.done?.(item as never, called);
  // What was made or changed is shown; of the rest the sentence says all.
  if (done === undefined || ('id' in item && method !== 'DELETE')) showItem(context, command, item, done);
  else show(context, command, { data: item, text: done });
}
