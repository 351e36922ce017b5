import { expect, it } from '@jest/globals';
import { hostUrls } from './host-urls.ts';

it.each([
  ['postgres://u:p@h:5/d', ['postgres://u:p@h:5/d'], false],
  ['postgres://u:p@h/d?sslmode=verify-full', ['postgres://u:p@h/d?sslmode=verify-full'], false],
  ['postgres://h/d?target_session_attrs=any', ['postgres://h/d'], false],
  ['postgres://h/d?target_session_attrs=read-write&a=b', ['postgres://h/d?a=b'], true],
  ['postgresql://u:p,q@a:1,b,[::1]:3/d?a=b', ['a:1', 'b', '[::1]:3'].map((h) => `postgresql://u:p,q@${h}/d?a=b`), true],
  ['postgres://a,b?target_session_attrs=primary', ['postgres://a', 'postgres://b'], true],
  ['/var/run/postgresql callout', ['/var/run/postgresql callout'], false],
])('the hosts of %s', (url, urls, mustBeWritable) => {
  expect(hostUrls(url)).toEqual({ urls, mustBeWritable });
});
