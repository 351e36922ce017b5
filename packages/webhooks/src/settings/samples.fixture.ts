import { isJson, type Setting, type SettingType } from './setting.ts';
import { settings } from './settings.ts';

const samples: Partial<Record<SettingType['kind'], unknown>> = {
  boolean: true,
  flag: true,
  text: 'a name',
  url: 'https://receiver.example/sample',
  mail: 'ops@example.com',
  condition: { op: 'eq', field: 'city', value: 'Oslo' },
  requestHeaders: [{ name: 'X-Shop', value: 'a secret of mine' }],
  receiverAuth: { kind: 'bearer', token: 'a-secret-of-mine' },
  authorities: null,
  secret: 'a secret of mine',
  routingKey: 'a-secret-of-mine',
};

/** A valid value other than the default, as bodies have the value; no certificate authority, which tests make. */
export function sampleOf({ type }: Setting): unknown {
  if (type.kind === 'choice') return type.words.at(-1);
  if (type.kind === 'limit') return type.isWhole ? type.minimum + 1 : type.minimum + 0.5;
  return samples[type.kind];
}

/** What items show of a webhook with no setting but those that every create names. */
export function shownDefaults(entityType: string): Record<string, unknown> {
  const shown = settings.flatMap((setting) => {
    const { key, only, default: usual } = setting as Setting;
    if (usual === undefined || (only !== undefined && only !== entityType)) return [];
    return [[key, isJson(setting) && usual !== null ? (JSON.parse(String(usual)) as unknown) : usual]];
  });
  return Object.fromEntries(shown) as Record<string, unknown>;
}
