import { describe, expect, it } from '@jest/globals';
import { Problem } from '@callout/domain/problem';
import { HttpProblem } from './http-problem.ts';
import { problemResponse } from './problem-response.ts';

describe('a problem on the wire', () => {
  it.each([
    [Problem.invalid('that is wrong', 'name'), 400, {}],
    [Problem.unauthorized(), 401, {}],
    [new Problem('unauthorized', [], { retryAfterS: 60 }), 401, { 'Retry-After': '60' }],
    [Problem.forbidden('no'), 403, {}],
    [Problem.notFound(), 404, {}],
    [HttpProblem.methodNotAllowed(['GET', 'POST']), 405, { Allow: 'GET, POST' }],
    [HttpProblem.stalled(), 408, { Connection: 'close' }],
    [Problem.duplicate('twice', 'name'), 409, {}],
    [Problem.tooLarge('10 bytes'), 413, {}],
    [HttpProblem.unsupportedMediaType('no'), 415, {}],
    [Problem.tooManyRequests('slow down', 5), 429, { 'Retry-After': '5' }],
    [new Problem('internal', []), 500, {}],
    [Problem.unavailable('away', 3), 503, { 'Retry-After': '3' }],
  ])('%s is %i with the headers %j', (problem, status, headers) => {
    expect(problemResponse(problem)).toMatchObject({ status, headers });
    expect(Object.keys(problemResponse(problem).headers ?? {})).toEqual(Object.keys(headers));
  });

  it('has every sentence in errors and every detail beside it', () => {
    const details = [
      { code: 'required', field: 'name', message: 'name is required' },
      { code: 'tooLong', field: 'secretKey', message: 'secretKey must be 64 characters or fewer' },
    ] as const;
    const { body } = problemResponse(Problem.invalid(details));
    expect(body).toEqual({ errors: details.map(({ message }) => message), details });
  });

  it('begins with the number where a record is not there, since clients look for it', () => {
    const message = '404: No matching records found';
    expect(problemResponse(Problem.notFound()).body).toEqual({
      errors: [message],
      details: [{ code: 'notFound', message }],
    });
  });

  it('shows no cause, and no more than a hundred details', () => {
    const cause = new Error('connect ECONNREFUSED');
    expect(JSON.stringify(problemResponse(Problem.unavailable('away', 1, cause)))).not.toContain('ECONNREFUSED');
    const many = Array.from({ length: 101 }, () => ({ code: 'invalid' as const, message: 'wrong' }));
    const { body } = problemResponse(Problem.invalid(many));
    expect([body.errors.length, body.details.length]).toEqual([100, 100]);
  });
});
