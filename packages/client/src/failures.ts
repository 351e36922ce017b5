import type { Middleware } from 'openapi-fetch';
import { ApiError } from './api-error.ts';

/** Every answer that is no success is thrown. */
export const throwFailures: Middleware = {
  async onResponse({ response }) {
    if (response.ok) return;
    const text = await response.text();
    throw new ApiError(response, jsonOf(text));
  },
};

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
