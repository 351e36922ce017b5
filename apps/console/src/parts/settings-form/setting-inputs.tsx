import { Box, Checkbox, Group } from '@mantine/core';
import type { FormPart, FormSection, Setting } from '@callout/webhooks/settings/settings';
import type { ReactNode } from 'react';
import { errorsAt } from '../form/form.ts';
import { Note } from '../show/fact.tsx';
import { settingsIn } from './form-settings.ts';
import { SettingControl, type SettingsProps } from './setting-control.tsx';

/** The editors of settings without a plain control, by name. */
export type Editors = Readonly<Record<NonNullable<FormPart['editor']>, ReactNode>>;

export interface SettingInputsProps extends SettingsProps {
  readonly entityType: string;
  readonly section: FormSection;
  readonly editors: Editors;
  /** Whether the webhook is not stored yet. */
  readonly isNew: boolean;
}

/** The inputs of all settings of a section. */
export function SettingInputs({ entityType, section, ...props }: SettingInputsProps) {
  return rowsOf(settingsIn(section, entityType, props.settings)).map((row) => (
    <SettingRow key={row[0].key} row={row} {...props} />
  ));
}

type Row = [first: Setting, ...beside: Setting[]];

/** Puts settings beside each other where declared so. An editor of several settings is shown once. */
function rowsOf(settings: readonly Setting[]): Row[] {
  const rows: Row[] = [];
  for (const setting of settings) {
    const { isBeside, editor } = setting.form;
    const above = rows.at(-1);
    if (isBeside === true && above !== undefined) above.push(setting);
    else if (editor === undefined || !rows.some(([{ form }]) => form.editor === editor)) rows.push([setting]);
  }
  return rows;
}

function SettingRow({ row, editors, ...props }: Omit<SettingInputsProps, 'entityType' | 'section'> & { row: Row }) {
  const [{ form }] = row;
  if (form.editor !== undefined) return editors[form.editor];
  const controls = row.map((setting) => <SettingControl key={setting.key} setting={setting} {...props} />);
  return (
    <>
      {controls.length === 1 ? (
        controls
      ) : (
        <Group align="flex-start">
          {controls.map((control) => (
            <Box key={control.key} flex="1 1 200px">
              {control}
            </Box>
          ))}
        </Group>
      )}
      {row.map(({ key, form: { note } }) => note !== undefined && <Note key={key}>{note}</Note>)}
    </>
  );
}

/** The settings about what makes a callout, fields apart: all of them are booleans. */
export function SubscriptionInputs({ entityType, settings, set, error }: SettingsProps & { entityType: string }) {
  const flags = settingsIn('subscriptions', entityType, settings);
  const values: Readonly<Record<string, unknown>> = settings;
  return (
    <Checkbox.Group
      label="Send a callout for"
      value={flags.flatMap(({ key }) => (values[key] === true ? [key] : []))}
      onChange={(chosen: readonly string[]) =>
        set(Object.fromEntries(flags.map(({ key }) => [key, chosen.includes(key)])))
      }
      error={flags.map(({ key }) => errorsAt(error, key)).find((sentence) => sentence !== undefined)}
    >
      <Group mt={6}>
        {flags.map(({ key, form }) => (
          <Checkbox key={key} value={key} label={form.label ?? form.name} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}
