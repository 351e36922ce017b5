import { describe, expect, it } from '@jest/globals';
import { Problem } from '@callout/domain/problem';
import { parseSecretRotation } from './secret-rotation.ts';

const parse = (body: unknown) => {
  try {
    return parseSecretRotation(body);
  } catch (error) {
    if (error instanceof Problem) return [error.kind, ...error.details.map(({ message }) => message)];
    throw error;
  }
};

describe('parseSecretRotation', () => {
  it.each([
    [{ secretKey: 'a new secret', overlapHours: 24 }, 24],
    [{ SECRETKEY: 'a new secret', overlaphours: '168' }, 168],
    [{ secretKey: 'a new secret', overlapHours: '0', secret: 'ignored' }, 0],
  ])('reads %j', (body, overlapHours) => {
    expect(parse(body)).toEqual({ secretKey: 'a new secret', overlapHours });
  });

  const hours = 'overlapHours must be a whole number of hours from 0 to 168';
  const secretKey = 's';
  it.each([
    [{}, ['secretKey is required', 'overlapHours is required']],
    [{ secretKey: null, overlapHours: null }, ['secretKey is required', 'overlapHours is required']],
    [{ secretKey, overlapHours: 169 }, [hours]],
    [{ secretKey, overlapHours: -1 }, [hours]],
    [{ secretKey, overlapHours: 1.5 }, [hours]],
    [{ secretKey, overlapHours: '1e1' }, [hours]],
    [{ secretKey, overlapHours: true }, [hours]],
    [{ secretKey: '********', overlapHours: 1 }, ['secretKey must not be ********, which means an unchanged one']],
    [{ secretKey: ' ', overlapHours: 1 }, ['secretKey must not be empty']],
    [{ secretKey: 'a\nb', overlapHours: 1 }, ['secretKey must not contain control characters']],
    [{ secretKey: 'x'.repeat(65), overlapHours: 1 }, ['secretKey must be 64 characters or fewer']],
    [[], ['The body must be a JSON object, not an array']],
    [undefined, ['The body must be a JSON object, and is empty']],
    [{ secretKey, SecretKey: 't', overlapHours: 1 }, ['secretKey is given twice, in keys that differ by case only']],
  ])('refuses %j', (body, messages) => {
    expect(parse(body)).toEqual(['invalid', ...messages]);
  });
});
