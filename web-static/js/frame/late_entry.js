/* What is loaded when nobody is signed in. */

export { firstAdminPage } from '../pages/first_admin.js';
export { signInPage } from '../pages/sign_in.js';
export { signInAgain } from './sign_in_again.js';
