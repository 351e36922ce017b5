import { Combobox, Group, Text, TextInput, useCombobox } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../icon.tsx';
import { Note } from '../show/fact.tsx';
import type { FieldChoice } from './field-choices-query.ts';
import { matchingFields, typeOf } from './matching-fields.ts';
import type { FieldKey } from './webhook-draft.ts';

interface FieldPickerProps {
  readonly choices: readonly FieldChoice[];
  readonly chosen: ReadonlySet<FieldKey>;
  readonly add: (keys: readonly FieldKey[]) => void;
  readonly remove: (key: FieldKey) => void;
  readonly error: string | undefined;
}

const all = 'all';

/** Finds fields by name, label or description; the list stays open, so that many are chosen one after the other, or all. */
export function FieldPicker({ choices, chosen, add, remove, error }: FieldPickerProps) {
  const [search, setSearch] = useState('');
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const matching = matchingFields(choices, search);
  const missing = matching.filter(({ key }) => !chosen.has(key)).map(({ key }) => key);

  function submit(value: string): void {
    if (value === all) add(missing);
    else if (chosen.has(value as FieldKey)) remove(value as FieldKey);
    else add([value as FieldKey]);
  }

  return (
    <Combobox store={combobox} onOptionSubmit={submit} shadow="md">
      <Combobox.Target withExpandedAttribute>
        <TextInput
          label="Add fields"
          placeholder={`Search ${choices.length} fields by name or description`}
          leftSection={<Icon of="search" />}
          rightSection={<Combobox.Chevron />}
          rightSectionPointerEvents="none"
          value={search}
          error={error}
          onChange={(event) => {
            setSearch(event.currentTarget.value);
            combobox.resetSelectedOption();
            combobox.openDropdown();
          }}
          onClick={() => combobox.openDropdown()}
          onFocus={() => combobox.openDropdown()}
          onBlur={() => {
            combobox.closeDropdown();
            setSearch('');
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options mah={360} style={{ overflowY: 'auto' }} aria-label="Fields" aria-multiselectable>
          {missing.length > 1 && (
            <Combobox.Option value={all}>
              <Text fw={600}>
                {search.trim() === '' ? `Add all ${missing.length} fields` : `Add all ${missing.length} that match`}
              </Text>
            </Combobox.Option>
          )}
          <Fields title="Fields" fields={matching.filter(({ isUserDefined }) => !isUserDefined)} chosen={chosen} />
          <Fields title="User-defined fields" fields={matching.filter((one) => one.isUserDefined)} chosen={chosen} />
          {matching.length === 0 && <Combobox.Empty>No field has this in its name or description</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

interface FieldsProps {
  readonly title: string;
  readonly fields: readonly FieldChoice[];
  readonly chosen: ReadonlySet<FieldKey>;
}

function Fields({ title, fields, chosen }: FieldsProps) {
  if (fields.length === 0) return null;
  return (
    <Combobox.Group label={title}>
      {fields.map((choice) => {
        const isChosen = chosen.has(choice.key);
        return (
          <Combobox.Option key={choice.key} value={choice.key} active={isChosen} aria-selected={isChosen}>
            <Group gap="xs" wrap="nowrap" justify="space-between">
              <div>
                <Text className="break-anywhere">
                  {choice.label} <Note span>{typeOf(choice)}</Note>
                </Text>
                <Note>{choice.description}</Note>
              </div>
              {isChosen && <Icon of="check" />}
            </Group>
          </Combobox.Option>
        );
      })}
    </Combobox.Group>
  );
}
