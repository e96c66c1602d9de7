// The compiled core. Each algorithm has a file of its own and binds itself here.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_exact(nb::module_ &m);
void bind_greedy(nb::module_ &m);
void bind_islands(nb::module_ &m);
void bind_mgc(nb::module_ &m);
void bind_prediction(nb::module_ &m);
void bind_png(nb::module_ &m);
void bind_rows(nb::module_ &m);
void bind_search(nb::module_ &m);
void bind_tree(nb::module_ &m);

NB_MODULE(_core, m) {
    m.doc() = "Compiled kernels of sherd; their NumPy twins live in the tests as oracles.";
    bind_exact(m);
    bind_greedy(m);
    bind_islands(m);
    bind_mgc(m);
    bind_prediction(m);
    bind_png(m);
    bind_rows(m);
    bind_search(m);
    bind_tree(m);
}
