import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { basePath } from './api/session.ts';
import { ErrorPage } from './shell/error-page.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { Shell } from './shell/shell.tsx';
import { routes } from './routes.ts';

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: () => <NotFoundPage /> });

export const router = createRouter({
  routeTree: rootRoute.addChildren(
    routes.map(({ path, load }) =>
      createRoute({
        getParentRoute: () => rootRoute,
        path,
        component: lazyRouteComponent(load),
        validateSearch: (search: Record<string, unknown>) => search,
      }),
    ),
  ),
  basepath: basePath,
  defaultErrorComponent: ErrorPage,
  defaultPreload: 'intent',
  scrollRestoration: true,
});
