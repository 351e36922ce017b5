import { Button, Checkbox, CloseButton, Table } from '@mantine/core';
import { Note } from '../show/fact.tsx';
import { TableBox } from '../table/scroll-box.tsx';
import type { FieldChoice } from './field-choices-query.ts';
import { typeOf } from './matching-fields.ts';
import { type ChosenField, type FieldKey, idOf, isUserDefined } from './webhook-draft.ts';

interface ChosenFieldsProps {
  readonly choices: readonly FieldChoice[];
  readonly fields: readonly ChosenField[];
  readonly set: (fields: readonly ChosenField[]) => void;
}

const uses = [
  { flag: 'isSubscribedField', title: 'Watched', of: 'is watched', all: 'Watch all' },
  { flag: 'isDisplayAlwaysField', title: 'Always sent', of: 'is always sent', all: 'Always send all' },
] as const;

/** The fields that were chosen and what each is for; the checkbox above a column is for all of them. */
export function ChosenFields({ choices, fields, set }: ChosenFieldsProps) {
  const byKey = new Map(choices.map((choice) => [choice.key, choice]));
  const change = (key: FieldKey, flags: Partial<ChosenField>) =>
    set(fields.map((field) => (field.key === key ? { ...field, ...flags } : field)));
  return (
    <TableBox minWidth={320}>
      <Table className="chosen-fields" verticalSpacing={6} aria-label="Fields of the webhook">
        <Table.Thead>
          <Table.Tr>
            <Table.Th miw="8.5rem">
              {fields.length === 1 ? '1 field' : `${fields.length} fields`}{' '}
              {fields.length > 1 && (
                <Button size="compact-xs" variant="default" onClick={() => set([])}>
                  Remove all
                </Button>
              )}
            </Table.Th>
            {uses.map(({ flag, title, all }) => {
              const count = fields.filter((field) => field[flag]).length;
              return (
                <Table.Th key={flag}>
                  <Checkbox
                    size="xs"
                    label={title}
                    aria-label={all}
                    checked={count === fields.length}
                    indeterminate={count > 0 && count < fields.length}
                    onChange={(event) => {
                      const { checked } = event.currentTarget;
                      set(fields.map((field) => ({ ...field, [flag]: checked })));
                    }}
                  />
                </Table.Th>
              );
            })}
            <Table.Th />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fields.map((field) => {
            const choice = byKey.get(field.key);
            const label =
              choice?.label ?? `${isUserDefined(field.key) ? 'User-defined field' : 'Field'} ${idOf(field.key)}`;
            return (
              <Table.Tr key={field.key}>
                <Table.Td className="break-anywhere" title={choice?.description}>
                  {label} <Note span>{choice === undefined ? '' : typeOf(choice)}</Note>
                </Table.Td>
                {uses.map(({ flag, of }) => (
                  <Table.Td key={flag}>
                    <Checkbox
                      size="xs"
                      aria-label={`${label} ${of}`}
                      checked={field[flag]}
                      onChange={(event) => change(field.key, { [flag]: event.currentTarget.checked })}
                    />
                  </Table.Td>
                ))}
                <Table.Td ta="right">
                  <CloseButton
                    size="sm"
                    aria-label={`Remove ${label}`}
                    onClick={() => set(fields.filter(({ key }) => key !== field.key))}
                  />
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </TableBox>
  );
}
