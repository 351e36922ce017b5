import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { buildCatalogue } from '@callout/domain/catalogue/catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { nearestPath } from './nearest-path.ts';

const paths = [
  '/CompanyWebhooks',
  '/CompanyWebhooks/:id',
  '/CompanyWebhooks/:id/test',
  '/CompanyWebhooks/:parentId/Fields',
  '/CompanyWebhooks/:parentId/Fields/:id',
  '/Companies',
  '/EntityEvents',
];
const entities = buildCatalogue([
  JSON.parse(readFileSync(path.join(ownCatalogueDir, 'companies.json'), 'utf8')) as unknown,
]).entities;
const known = { apiRoot: 'atservicesrest', routes: paths.map((one) => ({ path: one, methods: {} })), entities };

describe('nearestPath', () => {
  it.each([
    ['/atservicesrest/v1.0/CompanyWebhook', '/atservicesrest/v1.0/CompanyWebhooks'],
    ['/v1.0/Companies', '/atservicesrest/v1.0/Companies'],
    ['/Companies', '/atservicesrest/v1.0/Companies'],
    ['/api/v1.0/EntityEvents', '/atservicesrest/v1.0/EntityEvents'],
    ['/atservicesrest/v2.0/companies', '/atservicesrest/v1.0/Companies'],
    ['/atservicesrest/v1.0/CompanyWebhooks/7/Field', '/atservicesrest/v1.0/CompanyWebhooks/7/Fields'],
    ['/atservicesrest/v1.0/AccountWebhooks', '/atservicesrest/v1.0/CompanyWebhooks'],
    ['/v1.0/accountwebhook/7/Fields', '/atservicesrest/v1.0/CompanyWebhooks/7/Fields'],
    ['/atservicesrest/v1.0/Accounts', '/atservicesrest/v1.0/Companies'],
    ['/atservicesrest/v1.0/CompanyWebhook/7/fields/9', '/atservicesrest/v1.0/CompanyWebhooks/7/fields/9'],
  ])('for %s is %s', (given, nearest) => {
    expect(nearestPath(given, known)?.toLowerCase()).toBe(nearest.toLowerCase());
  });

  it.each(['/', '/favicon.ico', '/wp-login.php', '/atservicesrest/v1.0/Companies', `/${'x'.repeat(5_000)}`])(
    'is none for %s',
    (given) => {
      expect(nearestPath(given, known)).toBeUndefined();
    },
  );
});
