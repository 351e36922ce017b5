import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Entity } from '../../api/entities.ts';
import { Problem } from '../loaded.tsx';
import { Section } from '../page.tsx';
import { ChosenFields } from './chosen-fields.tsx';
import { fieldChoicesQuery } from './field-choices-query.ts';
import { FieldPicker } from './field-picker.tsx';
import type { ChosenField, FieldKey } from './webhook-draft.ts';

interface FieldsEditorProps {
  readonly entity: Entity;
  readonly fields: readonly ChosenField[];
  readonly set: (fields: readonly ChosenField[]) => void;
  /** Whether changed records make callouts, which takes a field that is watched. */
  readonly isForUpdates: boolean;
  /** What the API refuses of fields. */
  readonly error?: string | undefined;
}

/** The fields of a webhook: found by name or description, watched, sent along, removed; one or all of them. */
export function FieldsEditor({ entity, fields, set, isForUpdates, error }: FieldsEditorProps) {
  const choices = useQuery(fieldChoicesQuery(entity));
  const add = (keys: readonly FieldKey[]) =>
    set([...fields, ...keys.map((key) => ({ key, isSubscribedField: true, isDisplayAlwaysField: false }))]);
  return (
    <Section
      title="Fields"
      lead="A change of a watched field makes a callout. Fields that are always sent are in every callout, changed or not."
    >
      {choices.isError && (
        <Problem title="The fields could not be read" error={choices.error} retry={() => void choices.refetch()} />
      )}
      <FieldPicker
        choices={choices.data ?? []}
        chosen={new Set(fields.map(({ key }) => key))}
        add={add}
        remove={(key) => set(fields.filter((field) => field.key !== key))}
        error={error}
      />
      {isForUpdates && fields.length > 0 && !fields.some(({ isSubscribedField }) => isSubscribedField) && (
        <Alert color="yellow">No field is watched yet, so changed records make no callout. Add at least one.</Alert>
      )}
      {fields.length > 0 && <ChosenFields choices={choices.data ?? []} fields={fields} set={set} />}
    </Section>
  );
}
