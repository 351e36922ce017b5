import { CloseButton, Group, MultiSelect, SegmentedControl, Select, TagsInput, TextInput } from '@mantine/core';
import {
  type ExpressionDraft,
  fieldOf,
  operatorsOf,
  takesList,
  takesValue,
  withField,
  withOperator,
} from './condition-draft.ts';
import type { FieldChoice } from '../webhook-form/field-choices-query.ts';

interface ExpressionEditorProps {
  readonly expression: ExpressionDraft;
  readonly choices: readonly FieldChoice[];
  readonly set: (expression: ExpressionDraft) => void;
  readonly remove: () => void;
}

/** One comparison: a field, now or before, an operator that fits its type, and a value. */
export default function ExpressionEditor({ expression, choices, set, remove }: ExpressionEditorProps) {
  const { choice, isPrevious } = fieldOf(expression, choices);
  const byKey = new Map(choices.map((one) => [one.key as string, one]));
  const groups = [false, true].map((isUserDefined) => ({
    group: isUserDefined ? 'User-defined fields' : 'Fields',
    items: choices
      .filter((one) => one.isUserDefined === isUserDefined)
      .map(({ key, label }) => ({ value: key as string, label })),
  }));
  return (
    <Group gap="xs" align="flex-end" wrap="wrap">
      <Select
        label="Field"
        placeholder={expression.field === '' ? 'Choose a field' : expression.field}
        searchable
        w={190}
        data={groups.filter(({ items }) => items.length > 0)}
        value={choice?.key ?? null}
        onChange={(key) => {
          const next = key === null ? undefined : byKey.get(key);
          if (next !== undefined) set(withField({ ...expression, value: '' }, next, isPrevious));
        }}
      />
      <SegmentedControl
        aria-label="Which value"
        data={[
          { value: 'after', label: 'Now' },
          { value: 'before', label: 'Before' },
        ]}
        value={isPrevious ? 'before' : 'after'}
        disabled={choice === undefined}
        onChange={(value) => {
          if (choice !== undefined) set(withField(expression, choice, value === 'before'));
        }}
      />
      <Select
        label="Comparison"
        w={150}
        data={operatorsOf(choice?.type ?? 'string', isPrevious)}
        value={expression.op}
        allowDeselect={false}
        onChange={(op) => {
          if (op !== null) set(withOperator(expression, op));
        }}
      />
      {takesValue(expression.op) && <ValueInput expression={expression} choice={choice} set={set} />}
      <CloseButton aria-label="Remove this comparison" onClick={remove} />
    </Group>
  );
}

const booleans = [
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
];

function ValueInput({
  expression,
  choice,
  set,
}: Pick<ExpressionEditorProps, 'expression' | 'set'> & { readonly choice: FieldChoice | undefined }) {
  const setValue = (value: unknown) => set({ ...expression, value });
  const values = choice?.type === 'boolean' ? booleans : (choice?.values ?? []);
  if (takesList(expression.op)) {
    const chosen = Array.isArray(expression.value) ? expression.value.map(String) : [];
    const props = { label: 'Values', w: 220, value: chosen, onChange: setValue };
    return values.length > 0 ? <MultiSelect {...props} data={values} searchable /> : <TagsInput {...props} />;
  }
  const text = textOfValue(expression.value);
  if (values.length > 0) {
    return (
      <Select label="Value" w={190} data={values} value={text} searchable onChange={(value) => setValue(value ?? '')} />
    );
  }
  return (
    <TextInput
      label="Value"
      w={190}
      placeholder={choice?.type === 'datetime' ? '2026-01-31T00:00:00Z' : ''}
      value={text}
      onChange={(event) => setValue(event.currentTarget.value)}
    />
  );
}

function textOfValue(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
