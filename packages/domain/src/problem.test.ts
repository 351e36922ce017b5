import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Problem, type ProblemDetail } from './problem.ts';

describe('Problem', () => {
  it('has all details at once, and all of them in its message', () => {
    const details: ProblemDetail[] = [
      { code: 'required', field: 'name', message: 'name is required' },
      { code: 'tooLong', field: 'secretKey', message: 'secretKey must be 64 characters or fewer' },
    ];
    const problem = Problem.invalid(details);
    expect(problem.kind).toBe('invalid');
    expect(problem.details).toEqual(details);
    expect(problem.message).toBe('name is required; secretKey must be 64 characters or fewer');
  });

  it.each([
    [Problem.invalid('that is wrong', 'name'), 'invalid', { code: 'invalid', field: 'name', message: 'that is wrong' }],
    [Problem.unknownReference('no', 'id'), 'invalid', { code: 'unknownReference', field: 'id', message: 'no' }],
    [
      Problem.unauthorized(),
      'unauthorized',
      {
        code: 'unauthorized',
        message: expect.stringMatching(/^The credentials are unknown or wrong: UserName, Secret and ApiInt/),
      },
    ],
    [Problem.forbidden('no'), 'forbidden', { code: 'forbidden', message: 'no' }],
    [Problem.notFound(), 'notFound', { code: 'notFound', message: 'No matching records found' }],
    [Problem.conflict('twice', 'id'), 'conflict', { code: 'conflict', field: 'id', message: 'twice' }],
    [Problem.duplicate('twice', 'name'), 'conflict', { code: 'duplicate', field: 'name', message: 'twice' }],
    [Problem.tooLarge('10 bytes'), 'tooLarge', { code: 'tooLarge', message: '10 bytes' }],
    [Problem.tooManyRequests('slow down', 5), 'tooMany', { code: 'tooManyRequests', message: 'slow down' }],
    [Problem.unavailable('away', 3), 'unavailable', { code: 'unavailable', message: 'away' }],
    [
      Problem.wrongZone('eu', 'https://eu.example'),
      'wrongZone',
      { code: 'wrongZone', message: expect.stringContaining('the zone eu, at https://eu.example;') },
    ],
  ])('%s', (problem, kind, detail) => {
    expect(problem.kind).toBe(kind);
    expect(problem.details).toEqual([detail]);
    expect(problem).toBeInstanceOf(Error);
  });

  it('says when to try again, where that is known', () => {
    expect(Problem.tooManyRequests('slow down', 5).retryAfterS).toBe(5);
    expect(Problem.unavailable('away', 3).retryAfterS).toBe(3);
    expect(Problem.notFound().retryAfterS).toBeUndefined();
  });

  it('keeps the cause for the log', () => {
    const problem = Problem.unavailable('the database is away', 1, new Error('connect ECONNREFUSED'));
    expect(problem.cause).toBeInstanceOf(Error);
    expect(JSON.stringify(problem.details)).not.toContain('ECONNREFUSED');
  });
});

/** Statuses that only the API sends; the statuses of receivers belong to `outcome` and `settle`. */
const answered = /\b(40[013-59]|408|41[35]|429|503)\b|Retry-After/;
const exceptions = [
  /^(domain\/src\/outcome|pipeline\/src\/(deliver|settle))\//,
  // Describes HTTP operations, their refusals included.
  /^domain\/src\/operations\//,
  /generated/,
  /% 400\b/,
  /\.(test|fixture)\.ts$/,
  /\/fixtures\//,
];

describe('the rules and the database', () => {
  it('know kinds of problems, and no status or header: one table of the API maps them', () => {
    const packages = join(import.meta.dirname, '../..');
    const found = ['domain', 'database', 'pipeline', 'webhooks', 'tenancy', 'history', 'transfer'].flatMap((folder) =>
      readdirSync(join(packages, folder, 'src'), { recursive: true, encoding: 'utf8' })
        .map((name) => join(folder, 'src', name))
        .filter((path) => path.endsWith('.ts') && !exceptions.some((one) => one.test(path)))
        .flatMap((path) =>
          readFileSync(join(packages, path), 'utf8')
            .split('\n')
            .filter((line) => answered.test(line) && !exceptions.some((one) => one.test(line)))
            .map((line) => `${path}: ${line.trim()}`),
        ),
    );
    expect(found).toEqual([]);
  });
});
