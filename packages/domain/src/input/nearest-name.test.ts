import { describe, expect, it } from '@jest/globals';
import { nearestName } from './nearest-name.ts';

const known = ['companyName', 'companyNumber', 'phone', 'fax', 'isActive', 'fields', 'city', 'webAddress'];

describe('the nearest known name', () => {
  it.each([
    ['companyNam', 'companyName'],
    ['compnayName', 'companyName'],
    ['COMPANYNAME', 'companyName'],
    ['company_number', 'companyNumber'],
    ['feilds', 'fields'],
    ['actve', undefined],
    ['isActve', 'isActive'],
    ['phoneNumber', 'phone'],
    ['webAddr', 'webAddress'],
    ['fx', 'fax'],
    ['colour', undefined],
    ['x', undefined],
    ['', undefined],
    ['companyName'.repeat(20), undefined],
  ])('to %j is %j', (name, expected) => {
    expect(nearestName(name, known)).toBe(expected);
  });

  it('is the one with the fewest differences, and the first of several', () => {
    expect(nearestName('companyNames', known)).toBe('companyName');
    expect(nearestName('city1', ['city2', 'city3'])).toBe('city2');
  });
});
