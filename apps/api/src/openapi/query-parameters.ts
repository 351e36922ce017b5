/** Parameters of query strings: what they mean, and whether they must be there. */
export const queryParameters = {
  search: { description: 'The query, as the JSON that a POST takes as its body.', required: false },
  paging: { description: 'The token of the page, as prevPageUrl or nextPageUrl have it.', required: true },
} as const;

export type QueryParameter = keyof typeof queryParameters;
