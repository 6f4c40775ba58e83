/* The rules for the page's scripts beyond their types, which tsc checks. */

export default [
  {
    // The texts are tables: a line for each text.
    ignores: ["**/words-*.js"],
    rules: { "max-lines": ["error", 450] },
  },
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "array-callback-return": "error",
      "consistent-return": "error",
      "default-case": "error",
      "eqeqeq": "error",
      "max-lines-per-function": ["error", 60],
      "no-console": "error",
      "no-constant-binary-expression": "error",
      "no-duplicate-imports": ["error", { includeExports: false }],
      "no-else-return": "error",
      "no-eval": "error",
      "no-fallthrough": "error",
      "no-implicit-coercion": ["error", { string: false, allow: ["!!"] }],
      "no-param-reassign": "error",
      "no-restricted-syntax": ["error", { // the minifier takes blanks out of such texts
        selector: "TemplateLiteral TemplateLiteral", message: "Put the inner text into a variable.",
      }],
      "no-self-compare": "error",
      "no-shadow-restricted-names": "error",
      "no-unneeded-ternary": "error",
      "no-unused-expressions": ["error", { allowShortCircuit: true, allowTernary: true }],
      "no-unused-vars": ["error", { args: "after-used" }],
      "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
      "no-useless-assignment": "error",
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "off",
      "require-await": "error",
    },
  },
];
