import { describe, expect, it } from '@jest/globals';
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
const known = { apiRoot: 'atservicesrest', routes: paths.map((path) => ({ path, methods: {} })) };

describe('nearestPath', () => {
  it.each([
    ['/atservicesrest/v1.0/CompanyWebhook', '/atservicesrest/v1.0/CompanyWebhooks'],
    ['/v1.0/Companies', '/atservicesrest/v1.0/Companies'],
    ['/Companies', '/atservicesrest/v1.0/Companies'],
    ['/api/v1.0/EntityEvents', '/atservicesrest/v1.0/EntityEvents'],
    ['/atservicesrest/v2.0/companies', '/atservicesrest/v1.0/Companies'],
    ['/atservicesrest/v1.0/CompanyWebhooks/7/Field', '/atservicesrest/v1.0/CompanyWebhooks/7/Fields'],
    ['/atservicesrest/v1.0/CompanyWebhook/7/fields/9', '/atservicesrest/v1.0/CompanyWebhooks/7/fields/9'],
  ])('for %s is %s', (path, nearest) => {
    expect(nearestPath(path, known)?.toLowerCase()).toBe(nearest.toLowerCase());
  });

  it.each(['/', '/favicon.ico', '/wp-login.php', '/atservicesrest/v1.0/Companies', `/${'x'.repeat(5_000)}`])(
    'is none for %s',
    (path) => {
      expect(nearestPath(path, known)).toBeUndefined();
    },
  );
});
