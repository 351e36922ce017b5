export { arbitraryBodyOf } from './arbitrary-body.ts';
export { arbitraryCompanyQuery, companies } from './companies.ts';
