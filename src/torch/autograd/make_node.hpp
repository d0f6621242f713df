#pragma once

#include <c10/util/intrusive_ptr.h>
#include <torch/csrc/autograd/function.h>

#include <memory>
#include <type_traits>
#include <utility>

// Graph nodes are held by std::shared_ptr in older versions of torch and by c10::intrusive_ptr in newer ones. The type of Edge
// tells which.
namespace softradial::ops {

inline constexpr bool kSharedNodes =
    std::is_same_v<decltype(torch::autograd::Edge::function), std::shared_ptr<torch::autograd::Node>>;

template <class Node>
using NodePtr = std::conditional_t<kSharedNodes, std::shared_ptr<Node>, c10::intrusive_ptr<Node>>;

template <class Node, class... Arguments>
NodePtr<Node> make_node(Arguments&&... arguments) {
  if constexpr (kSharedNodes) {
    // torch's deleteNode takes long graphs apart without recursion. Found by argument lookup: newer versions have none.
    return NodePtr<Node>(new Node(std::forward<Arguments>(arguments)...), [](auto* node) { deleteNode(node); });
  } else {
    return c10::make_intrusive<Node>(std::forward<Arguments>(arguments)...);
  }
}

// Returns the pointer to a node that another owner already holds.
template <class Node>
NodePtr<Node> pointer_to(Node& node) {
  if constexpr (kSharedNodes) {
    return std::static_pointer_cast<Node>(node.shared_from_this());
  } else {
    return NodePtr<Node>::unsafe_reclaim_from_nonowning(&node);
  }
}

}  // namespace softradial::ops
