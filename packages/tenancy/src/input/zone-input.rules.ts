import { z } from 'zod';
import { parseUrl } from '@callout/domain/target/target';
import { booleanInput, textInput } from '@callout/domain/input/input-schemas';
import { operatorInput, readOperatorInput } from './operator-input.rules.ts';

/** Where a group of tenants reaches the service. */
export interface ZoneSettings {
  readonly name: string;
  /** Scheme, host and port; empty when the zone has no address of its own. */
  readonly url: string;
  /** The address for people; may be empty. */
  readonly webUrl: string;
  /** Whether it is the zone of new tenants and unknown users. */
  readonly isDefault: boolean;
}

const maxUrlLength = 500;

/** The path of the API is the same in every zone, so a zone's URL has no path. */
const originInput = z
  .string('must be a string')
  .transform((text) => text.trim().replace(/\/$/u, ''))
  .refine((text) => text === '' || isOrigin(text), {
    error: 'must be scheme, host and port only, such as https://zone1.example.com',
  });

const webUrlInput = z
  .string('must be a string')
  .trim()
  .refine((text) => text === '' || isWebUrl(text), { error: 'must be an http or https URL without credentials' });

const input = operatorInput({
  name: textInput(50),
  url: originInput,
  webUrl: webUrlInput,
  isDefault: booleanInput,
});

export function parseZoneCreate(body: unknown): ZoneSettings {
  const { name, url, webUrl = '', isDefault = false } = readOperatorInput(body, input, ['name', 'url']);
  return { name, url, webUrl, isDefault };
}

export function parseZoneChanges(body: unknown): Partial<ZoneSettings> {
  return readOperatorInput(body, input);
}

/** Characters that the URL parser drops or replaces: the stored URL would differ from the checked URL. */
const rewritten = /[\p{Cc}\p{Cs}\p{Z}\\]/u;

function isWebUrl(text: string): boolean {
  const url = text.length <= maxUrlLength && !rewritten.test(text) ? parseUrl(text) : undefined;
  return (url?.protocol === 'https:' || url?.protocol === 'http:') && url.username === '' && url.password === '';
}

function isOrigin(text: string): boolean {
  return isWebUrl(text) && new URL(text).origin === text.toLowerCase();
}
