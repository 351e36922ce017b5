export { arbitraryBodyOf, type ArbitraryField } from './arbitrary-body.ts';
export { arbitraryCompanyQuery, companies } from './companies.ts';
