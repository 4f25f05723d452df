// Sphinx's search fetches each page that it lists, for a passage with the words. From disk a browser lets no page
// fetch another (https://github.com/sphinx-doc/sphinx/issues/10407): the words come from a script beside it.
if (location.protocol === "file:") {
  const texts = new Promise(resolve => {
    const script = document.createElement("script");
    script.src = "_static/search_texts.js";
    script.onload = () => resolve(SEARCH_TEXTS);
    document.head.append(script);
  });
  window.fetch = async url => {
    const page = url.replace(/^\.\//, "").replace(/\.html$/, "");
    return new Response(`<main role="main">${(await texts)[page] ?? ""}</main>`);
  };
}
