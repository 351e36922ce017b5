import { Alert, Checkbox, CloseButton, Select, Stack, Table, Text, type ComboboxItem } from '@mantine/core';
import { TableBox } from '../table/scroll-box.tsx';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Entity } from '../../api/entities.ts';
import { Problem } from '../problem.tsx';
import { Section } from '../section.tsx';
import { fieldChoicesQuery, type FieldChoice } from './field-choices-query.ts';
import { idOf, isUserDefined, type ChosenField, type FieldKey } from './webhook-draft.ts';

interface FieldsEditorProps {
  readonly entity: Entity;
  readonly fields: readonly ChosenField[];
  readonly set: (fields: readonly ChosenField[]) => void;
  /** Whether changed records make callouts, which takes a field that is watched. */
  readonly isForUpdates: boolean;
  /** What the API refuses of fields. */
  readonly error?: string | undefined;
}

/** The fields of a webhook: found by name or label, watched, sent along, removed. */
export function FieldsEditor({ entity, fields, set, isForUpdates, error }: FieldsEditorProps) {
  const choices = useQuery(fieldChoicesQuery(entity));
  const byKey = new Map((choices.data ?? []).map((choice) => [choice.key, choice]));
  const change = (key: FieldKey, flags: Partial<ChosenField>) =>
    set(fields.map((field) => (field.key === key ? { ...field, ...flags } : field)));
  return (
    <Section
      title="Fields"
      lead="A change of a watched field makes a callout. Fields that are always sent are in every callout, changed or not."
    >
      {choices.isError && (
        <Problem title="The fields could not be read" error={choices.error} retry={() => void choices.refetch()} />
      )}
      <AddField
        choices={(choices.data ?? []).filter(({ key }) => !fields.some((field) => field.key === key))}
        add={(key) => set([...fields, { key, isSubscribedField: true, isDisplayAlwaysField: false }])}
        error={error}
      />
      {isForUpdates && !fields.some(({ isSubscribedField }) => isSubscribedField) && (
        <Alert color="yellow">No field is watched yet, so changed records make no callout. Add at least one.</Alert>
      )}
      {fields.length > 0 && (
        <TableBox minWidth={320}>
          <Table verticalSpacing={6} aria-label="Fields of the webhook">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Field</Table.Th>
                <Table.Th>Watched</Table.Th>
                <Table.Th>Always sent</Table.Th>
                <Table.Th aria-label="Remove" />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {fields.map(({ key, isSubscribedField, isDisplayAlwaysField }) => {
                const choice = byKey.get(key);
                const label = choice?.label ?? `${isUserDefined(key) ? 'User-defined field' : 'Field'} ${idOf(key)}`;
                return (
                  <Table.Tr key={key}>
                    <Table.Td className="break-anywhere">
                      {label}
                      <Text size="xs" c="dimmed">
                        {choice === undefined ? '' : typeOf(choice)}
                      </Text>
                    </Table.Td>
                    <Table.Td>
                      <Checkbox
                        aria-label={`${label} is watched`}
                        checked={isSubscribedField}
                        onChange={(event) => change(key, { isSubscribedField: event.currentTarget.checked })}
                      />
                    </Table.Td>
                    <Table.Td>
                      <Checkbox
                        aria-label={`${label} is always sent`}
                        checked={isDisplayAlwaysField}
                        onChange={(event) => change(key, { isDisplayAlwaysField: event.currentTarget.checked })}
                      />
                    </Table.Td>
                    <Table.Td ta="right">
                      <CloseButton
                        aria-label={`Remove ${label}`}
                        onClick={() => set(fields.filter((field) => field.key !== key))}
                      />
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        </TableBox>
      )}
    </Section>
  );
}

const typeOf = ({ type, isUserDefined: isOwn }: FieldChoice): string => (isOwn ? `user-defined ${type}` : type);

interface AddFieldProps {
  readonly choices: readonly FieldChoice[];
  readonly add: (key: FieldKey) => void;
  readonly error: string | undefined;
}

function AddField({ choices, add, error }: AddFieldProps) {
  const [search, setSearch] = useState('');
  const names = new Map(choices.map(({ key, name, label }) => [key, `${label} ${name}`.toLowerCase()]));
  const optionsOf = (ofUsers: boolean) =>
    choices
      .filter((choice) => choice.isUserDefined === ofUsers)
      .map((choice) => ({ value: choice.key, label: `${choice.label} (${typeOf(choice)})` }));
  return (
    <Stack gap={4} maw={480}>
      <Select
        label="Add a field"
        placeholder="Search by name or label"
        searchable
        value={null}
        searchValue={search}
        onSearchChange={setSearch}
        onChange={(key) => {
          if (key === null) return;
          add(key);
          setSearch('');
        }}
        filter={({ options, search: wanted, limit }) => matching(options as Groups, names, wanted, limit)}
        limit={200}
        nothingFoundMessage="No field has this name"
        data={[
          { group: 'Fields', items: optionsOf(false) },
          { group: 'User-defined fields', items: optionsOf(true) },
        ].filter(({ items }) => items.length > 0)}
        error={error}
      />
    </Stack>
  );
}

type Groups = { group: string; items: ComboboxItem<FieldKey>[] }[];

function matching(groups: Groups, names: ReadonlyMap<FieldKey, string>, wanted: string, limit: number): Groups {
  const text = wanted.trim().toLowerCase();
  return groups
    .map(({ group, items }) => ({
      group,
      items: items
        .filter(({ value, label }) => names.get(value)?.includes(text) === true || label.toLowerCase() === text)
        .slice(0, limit),
    }))
    .filter(({ items }) => items.length > 0);
}
