import { citiesOf } from './fill-companies.ts';

/** A query, and how many rows of it must come. */
export interface Asked {
  readonly query: Readonly<Record<string, unknown>>;
  readonly items: number;
}

/** A kind of query that is measured; each time it is asked for other values. */
export interface Question {
  readonly name: string;
  readonly how: 'query' | 'count';
  readonly times: number;
  readonly ask: (random: () => number) => Asked;
}

const PAGE = 100;
/** Of a page whose query does not say. */
const MOST_ROWS = 500;
const OWNERS = 10;
const condition = (op: string, field: string, value: unknown) => ({ op, field, value });
const filter = (...conditions: readonly object[]) => ({ Filter: conditions });

/** From so many companies on, each kind is asked as often as it may; of fewer there is less to find out. */
const MANY_COMPANIES = 100_000;
const LEAST_TIMES = 5;

/** What is asked of companies 1 to `companies`, as `fillCompanies` makes them. */
export function questionsAbout(companies: number): Question[] {
  const share = Math.min(1, companies / MANY_COMPANIES);
  return allQuestions(companies).map((question) => ({
    ...question,
    times: Math.max(LEAST_TIMES, Math.round(question.times * share)),
  }));
}

function allQuestions(companies: number): Question[] {
  const cities = citiesOf(companies);
  const oneOf = (count: number, random: () => number) => Math.floor(random() * count);
  const anyId = (random: () => number) => 1 + oneOf(companies, random);
  /** How many of 1 to `companies` leave this rest. */
  const withRest = (divisor: number, rest: number) => Math.floor((companies - rest) / divisor) + (rest === 0 ? 0 : 1);
  const anyCity = (random: () => number) => {
    const city = oneOf(cities, random);
    return { condition: condition('eq', 'city', `CITY ${city}`), companies: withRest(cities, city) };
  };

  return [
    {
      name: 'one by its number: eq',
      how: 'query',
      times: 500,
      ask: (random) => ({ query: filter(condition('eq', 'companyNumber', `c-${anyId(random)}`)), items: 1 }),
    },
    {
      name: 'ten by their numbers: in',
      how: 'query',
      times: 500,
      ask(random) {
        const numbers = new Set<string>();
        while (numbers.size < Math.min(10, companies)) numbers.add(`C-${anyId(random)}`);
        return { query: filter(condition('in', 'companyNumber', [...numbers])), items: numbers.size };
      },
    },
    {
      name: 'none: eq',
      how: 'query',
      times: 500,
      ask: (random) => ({ query: filter(condition('eq', 'companyNumber', `none-${anyId(random)}`)), items: 0 }),
    },
    {
      name: 'all of a city: eq',
      how: 'query',
      times: 200,
      ask(random) {
        const city = anyCity(random);
        return { query: filter(city.condition), items: Math.min(MOST_ROWS, city.companies) };
      },
    },
    {
      name: 'a city and its number: eq and eq',
      how: 'query',
      times: 200,
      ask(random) {
        const id = anyId(random);
        const both = [condition('eq', 'city', `city ${id % cities}`), condition('eq', 'companyNumber', `C-${id}`)];
        return { query: filter(...both), items: 1 };
      },
    },
    {
      name: 'count of a city: eq',
      how: 'count',
      times: 200,
      ask(random) {
        const city = anyCity(random);
        return { query: filter(city.condition), items: city.companies };
      },
    },
    {
      name: `a tenth of them, first ${PAGE}: eq`,
      how: 'query',
      times: 200,
      ask(random) {
        const owner = oneOf(OWNERS, random);
        const query = { MaxRecords: PAGE, ...filter(condition('eq', 'ownerResourceID', owner)) };
        return { query, items: Math.min(PAGE, withRest(OWNERS, owner)) };
      },
    },
    {
      name: `${PAGE} after any id: gt`,
      how: 'query',
      times: 200,
      ask(random) {
        const id = anyId(random);
        const query = { MaxRecords: PAGE, ...filter(condition('gt', 'id', id)) };
        return { query, items: Math.min(PAGE, companies - id) };
      },
    },
    {
      name: 'the end of one name, by looking at all: endsWith',
      how: 'query',
      times: 5,
      ask: () => ({ query: filter(condition('endsWith', 'companyName', `ny ${companies}`)), items: 1 }),
    },
  ];
}
